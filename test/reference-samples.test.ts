/** The samples of the API reference, word for word with the reader's test key, run by their languages. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { keyPlace } from '../server/views/web/docs/script.ts'
import { share, startTestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending))

const languages: Record<string, { file: string; command: string; args: string[]; needs: string }> = {
  curl: { file: 'sample.sh', command: 'bash', args: [], needs: 'curl' },
  Node: { file: 'sample.mjs', command: process.execPath, args: [], needs: process.execPath },
  Python: { file: 'sample.py', command: 'python3', args: [], needs: 'python3' },
  PHP: { file: 'sample.php', command: 'php', args: [], needs: 'php' },
  Go: { file: 'sample.go', command: 'go', args: ['run'], needs: 'go' },
}

for (const [name, { file, command, args, needs }] of Object.entries(languages)) {
  // A machine has some of these languages.
  if (spawnSync(needs, ['--help'], { stdio: 'ignore' }).error !== undefined) continue
  test(`${name}: the samples make a payment and read it`, async (t) => {
    const app = await sharedApp()
    const { key } = await app.key(await app.student())
    const folder = mkdtempSync(join(tmpdir(), 'malipo-sample-'))
    t.after(() => rmSync(folder, { recursive: true }))

    async function run(operation: string, change: (code: string) => string = (code) => code): Promise<any> {
      const page = await (await fetch(`${app.config.urls.api}/docs/reference/${operation}.md`)).text()
      const [, code] = new RegExp(`#### ${name}\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)\\n\`\`\``).exec(page)!
      writeFileSync(join(folder, file), change(code!.replaceAll(keyPlace, key)))
      const child = spawn(command, [...args, file], { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod' } })
      const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
      const start = out.indexOf('{')
      assert.notEqual(start, -1, `${operation}: ${out}${errors}`)
      return JSON.parse(out.slice(start))
    }

    const { data } = await run('create-payment')
    assert.equal(data.amount, 5000)
    // The same phone may have to wait; a repeat under the same key would show the first payment.
    const second = await run('create-payment')
    assert.notEqual(second.data?.reference, data.reference, 'a second run is no repeat')
    const read = await run('get-payment', (code) => code.replaceAll('pay_06g2v1d1p5fz9b7q4w5w1y2k3m', data.reference))
    assert.equal(read.data.reference, data.reference)
    const checkout = await run('start-checkout')
    assert.equal(checkout.error.code, 'not_found')
  })
}
