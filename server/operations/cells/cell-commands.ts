/** `malipo-ops cells …`: several cells behind one proxy. */
import { readFileSync } from 'node:fs'
import { command, UsageError, type Commands } from '../../platform/process/commands.ts'
import { readCellsFile } from './cells-file.ts'
import { proxyConfiguration } from './proxy-configuration.ts'

export const cellCommands: Commands<{ print(line: string): void }> = {
  'cells proxy': command({
    flags: '--file <cells.json>',
    options: { file: { type: 'string' } },
    summary: 'Print the configuration of HAProxy in front of the cells that the file names.',
    run: ({ print }: { print(line: string): void }, _words, { file }) => {
      if (file === undefined) throw new UsageError()
      proxyConfiguration(readCellsFile(readFileSync(file, 'utf8')))
        .split('\n')
        .forEach(print)
    },
  }),
}
