/**
 * One stream for all windows of a browser: the window that has the lock asks the service, and passes each event on to the others. A
 * browser opens six connections to a host, and a person has a limited number of streams. Invariants: a window that joins reads
 * everything again once, because it cannot know what it has missed; when the window with the stream ends or pauses, one of the others asks
 * from its own cursor on, and passes on what was missed in between.
 */

/** From a window that joins, with its own number; or an event, for all windows or for that one. */
type Message = { joins: string } | { text: string; to?: string }

const gap = 'data: {"cursor":"","is_gap":true,"hints":[]}\n\n'
const goOn = 'event: end\ndata: {"reason":"renew"}\n\n'

function passOn(response: Response, name: string, onEnd: Promise<void>): Response {
  const channel = new BroadcastChannel(name)
  const post = (message: Message): void => channel.postMessage(message)
  let [text, isHeard] = ['', false]
  let joining: string[] = []
  /** Only once the service was heard: a window that joins is live then. */
  function welcome(): void {
    if (!isHeard) return
    for (const to of joining) post({ text: gap, to })
    joining = []
  }
  channel.onmessage = ({ data }: { data: Message }) => {
    if (!('joins' in data)) return
    joining.push(data.joins)
    welcome()
  }
  void onEnd.then(() => channel.close())
  const body = response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(
    new TransformStream<string, string>({
      transform(chunk, controller) {
        text += chunk
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const event = text.slice(0, end + 2)
          text = text.slice(end + 2)
          // The end of this stream is not that of the others.
          if (!event.startsWith('event: end')) post({ text: event })
        }
        isHeard = true
        welcome()
        controller.enqueue(chunk)
      },
    }),
  )
  return new Response(body.pipeThrough(new TextEncoderStream()), response)
}

/** Locks that this window got from another one and has not used yet, with what gives each back. */
const inherited = new Map<string, () => void>()
/** A window that was hidden in the meantime does not ask. */
const inheritMs = 2_000

function join(name: string, signal: AbortSignal): Response {
  const own = crypto.randomUUID()
  const body = new ReadableStream<string>({
    start(controller) {
      const channel = new BroadcastChannel(name)
      channel.onmessage = ({ data }: { data: Message }) => {
        if ('text' in data && (data.to ?? own) === own) controller.enqueue(data.text)
      }
      channel.postMessage({ joins: own } satisfies Message)
      // The lock is free once the window with the stream has ended. The next stream of this window is that of all, then.
      const inherit = (): Promise<void> =>
        new Promise((release) => {
          inherited.set(name, release)
          setTimeout(() => inherited.get(name) === release && inherited.delete(name) && release(), inheritMs)
          controller.enqueue(goOn)
          controller.close()
          channel.close()
        })
      void navigator.locks.request(name, { signal }, inherit).catch((error: unknown) => {
        controller.error(error)
        channel.close()
      })
    },
  })
  return new Response(body.pipeThrough(new TextEncoderStream()))
}

/** False: another window has it. Otherwise it is held until `ended`. */
const takeLock = (name: string, ended: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    void navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      resolve(lock !== null)
      if (lock !== null) await ended
    })
  })

/** The stream that `ask` opens, or that another window with this name has open. `signal` ends it. */
export async function shareStream(
  name: string,
  signal: AbortSignal,
  ask: () => Promise<Response | undefined>,
): Promise<Response | undefined> {
  const ended = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
  // `locks` exists only on https and localhost; otherwise each window has a stream of its own.
  if (!(navigator as Partial<Navigator>).locks) return ask()
  const release = inherited.get(name)
  inherited.delete(name)
  if (release) void ended.then(release)
  const isFirst = release !== undefined || (await takeLock(name, ended))
  if (!isFirst) return join(name, signal)
  const response = await ask()
  return response?.ok && response.body ? passOn(response, name, ended) : response
}
