/** Asks for a secret. Invariant: what is typed is never shown. */
import { CommandError } from './command.ts'

const [enter, newLine, interrupt, endOfInput] = ['\r', '\n', '\u0003', '\u0004']
const erasers = new Set(['\u007f', '\b'])

/** What is piped in, whole. */
async function readAll(): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

/** One line from the terminal, which is told not to echo. */
function readTyped(): Promise<string> {
  const { stdin } = process
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = (): void => {
      stdin.off('data', hear)
      stdin.setRawMode(false)
      stdin.pause()
      process.stderr.write('\n')
    }
    const hear = (piece: string): void => {
      for (const character of piece) {
        if (character === enter || character === newLine || character === endOfInput) {
          end()
          return resolve(typed)
        }
        // A terminal that does not echo does not turn Ctrl-C into a signal either.
        if (character === interrupt) {
          end()
          return reject(new CommandError('Nothing was kept.'))
        }
        if (erasers.has(character)) typed = typed.slice(0, -1)
        else if (character >= ' ') typed += character
      }
    }
    stdin.setRawMode(true)
    stdin.setEncoding('utf8')
    stdin.on('data', hear)
    stdin.resume()
  })
}

/** The answer without the white space around it. */
export async function askHidden(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await readAll()).trim()
  process.stderr.write(question)
  return (await readTyped()).trim()
}
