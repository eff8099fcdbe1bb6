/** Asks for a secret. Invariant: typed characters are never shown. */
import { CommandError } from './command.ts'

const [enter, newLine, interrupt, endOfInput] = ['\r', '\n', '\u0003', '\u0004']
const erasers = new Set(['\u007f', '\b'])

/** The whole piped input. */
async function readAll(): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

/** One line from the terminal, whose echo is turned off before the question. */
function readTyped(question: string, signal: AbortSignal): Promise<string> {
  const { stdin } = process
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = (): void => {
      signal.removeEventListener('abort', leave)
      stdin.off('data', onInput)
      stdin.setRawMode(false)
      stdin.pause()
      process.stderr.write('\n')
    }
    const leave = (): void => {
      end()
      reject(signal.reason as Error)
    }
    const onInput = (piece: string): void => {
      for (const character of piece) {
        if (character === enter || character === newLine || character === endOfInput) {
          end()
          return resolve(typed)
        }
        // A terminal without echo does not turn Ctrl-C into a signal either.
        if (character === interrupt) {
          end()
          return reject(new CommandError('Nothing was stored.'))
        }
        if (erasers.has(character)) typed = typed.slice(0, -1)
        else if (character >= ' ') typed += character
      }
    }
    stdin.setRawMode(true)
    stdin.setEncoding('utf8')
    stdin.on('data', onInput)
    stdin.resume()
    signal.addEventListener('abort', leave, { once: true })
    // The echo is off before the question appears, so that a quick answer is not shown.
    process.stderr.write(question)
  })
}

/** The answer without leading and trailing white space. */
export async function askHidden(question: string, signal: AbortSignal): Promise<string> {
  return (process.stdin.isTTY ? await readTyped(question, signal) : await readAll()).trim()
}
