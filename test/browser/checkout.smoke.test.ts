/** The shortest proof that the hosted checkout works in a real Chromium: one payment with a script, one without. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestApp } from '../app.ts'
import { accessibilityProblems, endTogether, overflows, smallTargets, startBrowser, wholeFile } from './browser.ts'
import { arrive, fillIn, phoneOf360, pressPay } from './payer.ts'

const browser = await startBrowser(wholeFile)
const app = await startTestApp(wholeFile, { worker: true, simulator: { delayMs: 300 } })
const page = await app.page(await app.student(), { title: 'Ada ya mtihani', amount: 25_000 })

describe('a payer pays', () => {
  endTogether()
  for (const javaScriptEnabled of [true, false]) {
    test(`a payer pays on a small phone ${javaScriptEnabled ? 'with' : 'without'} scripts [C1, C5]`, async (t) => {
      const context = await browser.newContext({ ...phoneOf360, javaScriptEnabled })
      t.after(() => context.close())
      const tab = await context.newPage()
      const problems: string[] = []
      tab.on('pageerror', (error) => problems.push(error.message))
      const seen = async (screen: string): Promise<void> => {
        assert.equal(await overflows(tab), false, screen)
        assert.deepEqual(await smallTargets(tab), [], screen)
        if (javaScriptEnabled) assert.deepEqual(await accessibilityProblems(tab), [], screen)
      }
      await tab.goto(`${app.config.urls.checkout}/pay/${page.slug}`)
      assert.match(await tab.locator('main').innerText(), /Unamlipa[\s\S]*Ada ya mtihani[\s\S]*TSh 25,000/)
      await seen('form')
      await fillIn(tab, { phone: javaScriptEnabled ? '0754 123 789' : '0684 123 789' })
      await pressPay(tab)
      const reference = await arrive(tab)
      await tab.getByText('Usimpe mtu yeyote namba yako ya siri').waitFor()
      if (!javaScriptEnabled) {
        await app.settled(reference)
        await tab.getByText('Angalia tena').click()
      }
      await tab.getByRole('heading', { name: 'Malipo yamekamilika' }).waitFor({ timeout: 15_000 })
      await seen('done')
      assert.deepEqual(problems, [])
      assert.equal(
        (await app.truth()).charges.filter((charge: any) => charge.status === 'completed').length,
        javaScriptEnabled ? 1 : 2,
      )
    })
  }
})
