/** The virus scanner of docs/operations/install.md: a real ClamAV, with one signature of our own. */
import { eicar } from '../../clamd.ts'
import type { Step } from '../steps.ts'

export const scannerSteps: Step[] = [
  {
    title: 'ClamAV',
    async run({ block, machine, until }) {
      await block('install.md / Virus scanner / 1')
      // Signatures come from the Internet: this one knows the test file of eicar.org, anywhere in a file.
      machine.write('/var/lib/clamav/test.ndb', `Malipo.Test.EICAR:0:*:${Buffer.from(eicar).toString('hex')}\n`)
      await machine.run('install -d -o clamav -g clamav /run/clamav')
      await block('install.md / Virus scanner / 2')
      await until('ClamAV listens', async () => machine.exists('/run/clamav/clamd.ctl'))
      return 'the signatures are one of our own: none can be downloaded here'
    },
  },
]
