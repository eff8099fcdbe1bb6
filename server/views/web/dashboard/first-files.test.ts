import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstFiles, firstLinks, type BuildManifest, type Visit } from './first-files.ts'

const manifest: BuildManifest = {
  'merchant.html': { file: 'start.js' },
  '_main.js': { file: 'main.js', name: 'main', imports: ['_runtime.js'], css: ['main.css'] },
  '_runtime.js': { file: 'runtime.js', name: 'runtime' },
  '_home.js': { file: 'home.js', name: 'home', imports: ['_main.js'] },
  '_sign-in.js': { file: 'sign-in.js', name: 'sign-in', imports: ['_main.js'] },
  'src/merchant/payments/payments-screen.tsx': { file: 'payments.js', imports: ['_main.js', '_more.js'] },
  'src/merchant/register/register-screen.tsx': { file: 'register.js', imports: ['_sign-in.js'] },
  '_more.js': { file: 'more.js', name: 'more', css: ['more.css'] },
}

const scriptsOf = (path: string, hasCookie: boolean, app: Visit['app'] = 'merchant'): string[] =>
  firstFiles({ app, path, hasCookie }, manifest).scripts.toSorted()

test('a person with a session gets the files of the frame and of the screen at the address', () => {
  const home = ['home.js', 'main.js', 'runtime.js']
  for (const path of ['/dashboard', '/dashboard/', '/dashboard/me/test', '/dashboard/biz_1/live']) {
    assert.deepEqual(scriptsOf(path, true), home, path)
  }
  assert.deepEqual(scriptsOf('/dashboard/me/test/payments', true), ['home.js', 'main.js', 'more.js', 'payments.js', 'runtime.js'])
  assert.deepEqual(scriptsOf('/dashboard/me/test/payments/pay_1', true), home)
})

test('a guest gets the form of the sign-in, whatever the address is, or the screen that is for guests', () => {
  for (const path of ['/dashboard', '/dashboard/me/test/payments', '/dashboard/sign-in']) {
    assert.deepEqual(scriptsOf(path, false), ['main.js', 'runtime.js', 'sign-in.js'], path)
  }
  assert.deepEqual(scriptsOf('/dashboard/register', false), ['main.js', 'register.js', 'runtime.js', 'sign-in.js'])
})

test('an address of anything else adds nothing, and nothing of it is in the page', () => {
  for (const path of ['/dashboard/constructor', '/dashboard/__proto__', '/dashboard/"><script>', '/dashboard/_more.js']) {
    assert.equal(
      firstLinks({ app: 'merchant', path, hasCookie: true }, manifest),
      firstLinks({ app: 'merchant', path: '/dashboard', hasCookie: true }, manifest),
    )
  }
})

test('styles come before scripts', () => {
  assert.match(
    firstLinks({ app: 'merchant', path: '/dashboard', hasCookie: true }, manifest),
    /^<link rel="stylesheet" crossorigin href="\/dashboard\/main.css">(<link rel="modulepreload" crossorigin href="\/dashboard\/\w+\.js">){3}$/,
  )
})
