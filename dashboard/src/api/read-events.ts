/** Reads the stream of changes: its events, its end, and its silence, which counts as a loss. */

/** What has changed: `business_id` null: the personal account; `environment` null: both. */
export type Hint = { business_id: string | null; environment: 'test' | 'live' | null; subjects: readonly string[] }

/** `is_gap`: some changes may be missing here, so everything shown is read again. */
export type Changes = { cursor: string; is_gap: boolean; hints: readonly Hint[] }

/** `told`: the service has ended it, with a reason; `cut`: something else has. */
export type StreamEnd = { kind: 'told'; reason: string } | { kind: 'cut'; heardAny: boolean }

/** The service sends a heartbeat every 15 seconds. */
const silenceMs = 40_000
/** A stream begins with an event. */
export const firstEventMs = 8_000

/** Calls `onEvent` for each event, without changes for a heartbeat; calls `stop`, which must abort `signal`, when nothing comes. */
export async function readEvents(
  response: Response,
  signal: AbortSignal,
  stop: () => void,
  onEvent: (event: { changes?: Changes }) => void,
): Promise<StreamEnd> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let heardAny = false
  let watch = setTimeout(stop, firstEventMs)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) return { kind: 'cut', heardAny }
      clearTimeout(watch)
      watch = setTimeout(stop, silenceMs)
      text += value
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        const data = /^data: (.*)$/m.exec(event)?.[1]
        if (data !== undefined && event.startsWith('event: end')) {
          return { kind: 'told', reason: (JSON.parse(data) as { reason: string }).reason }
        }
        onEvent(data === undefined ? {} : { changes: JSON.parse(data) as Changes })
        heardAny = true
      }
    }
  } catch {
    return { kind: 'cut', heardAny }
  } finally {
    clearTimeout(watch)
  }
}
