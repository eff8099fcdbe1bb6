/**
 * Speaks amounts: plays the clips of their words one after the other. Browsers allow sound only after a touch, so `turnOn` is called by
 * the switch. Invariant: a crowd of payments builds up no queue of speech; a payment that cannot be spoken soon only rings.
 */
import { commaSeconds, schedule, spokenAmount, type SpokenLanguage } from './spoken-amount.ts'

const files: Record<SpokenLanguage, string> = {
  sw: new URL('./voice/sw.mp3', import.meta.url).href,
  en: new URL('./voice/en.mp3', import.meta.url).href,
}

/** No amount starts later than this after its payment. */
const longestWaitSeconds = 12

export type Voice = {
  /** On the touch of a person. */
  turnOn(language: SpokenLanguage): Promise<void>
  turnOff(): void
  /** Asks for the sound again, after it was taken away. */
  wake(): void
  /** Rings, and says the amount. Nothing while the sound is off. */
  announce(amount: number, language: SpokenLanguage): void
}

/** `onRunning`: whether it can be heard, also when a call or the lock of the phone has taken the sound away. */
export function createVoice(onRunning: (isRunning: boolean) => void): Voice {
  let context: AudioContext | undefined
  const loaded = new Map<SpokenLanguage, Promise<AudioBuffer>>()
  /** In the time of the context. */
  let busyUntil = 0

  function load(language: SpokenLanguage, into: AudioContext): Promise<AudioBuffer> {
    const found =
      loaded.get(language) ??
      fetch(files[language])
        .then((answer) => answer.arrayBuffer())
        .then((bytes) => into.decodeAudioData(bytes))
    loaded.set(language, found)
    // A file that did not arrive is fetched again for the next payment.
    found.catch(() => loaded.delete(language))
    return found
  }

  return {
    async turnOn(language) {
      if (!context) {
        const made = new AudioContext()
        made.onstatechange = () => made === context && onRunning(made.state === 'running')
        context = made
      }
      await Promise.all([context.resume(), load(language, context)])
    },
    turnOff() {
      void context?.close()
      context = undefined
      loaded.clear()
      busyUntil = 0
    },
    wake() {
      void context?.resume().catch(() => undefined)
    },
    announce(amount, language) {
      const now = context
      if (!now || now.state !== 'running') return
      void load(language, now).then(
        (buffer) => {
          if (now !== context) return
          const start = Math.max(now.currentTime, busyUntil)
          const isLate = start - now.currentTime > longestWaitSeconds
          if (isLate) return
          const { plays, seconds } = schedule(['chime', ...spokenAmount(amount, language)], language)
          for (const { at, from, seconds: length } of plays) {
            const source = now.createBufferSource()
            source.buffer = buffer
            source.connect(now.destination)
            source.start(start + at, from, length)
          }
          busyUntil = start + seconds + commaSeconds
        },
        () => undefined,
      )
    },
  }
}
