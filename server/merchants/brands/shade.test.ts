import assert from 'node:assert/strict'
import { test } from 'node:test'
import { style } from '../../views/web/checkout/look.ts'
import { contrast, schemes, shadeOf, surfaces } from './shade.ts'

/** Every colour of the cube whose parts are multiples of `step`. */
function* cube(step: number): Generator<string> {
  const parts = Array.from({ length: 255 / step + 1 }, (_, index) => (index * step).toString(16).padStart(2, '0'))
  for (const red of parts) for (const green of parts) for (const blue of parts) yield `#${red}${green}${blue}`
}

test('every colour of the cube gives a readable button, in light and dark', () => {
  let tried = 0
  for (const color of cube(5)) {
    for (const scheme of schemes) {
      const { background, text, isAdjusted } = shadeOf(color, scheme)
      if (contrast(background, text) < 4.5) assert.fail(`${color} ${scheme}: ${text} on ${background}`)
      for (const surface of surfaces[scheme]) {
        if (contrast(background, surface) < 3) assert.fail(`${color} ${scheme}: ${background} on ${surface}`)
      }
      if (isAdjusted !== (background !== color)) assert.fail(color)
      tried += 1
    }
  }
  assert.equal(tried, 2 * 52 ** 3)
})

test('a colour with enough contrast is shown unchanged', () => {
  assert.deepEqual(shadeOf('#0a6148', 'light'), { background: '#0a6148', text: '#ffffff', isAdjusted: false })
  assert.deepEqual(shadeOf('#ffd600', 'dark'), { background: '#ffd600', text: '#000000', isAdjusted: false })
})

test('yellow is darker on a light page, and near-black is lighter on a dark one', () => {
  const yellow = shadeOf('#ffd600', 'light')
  assert.ok(yellow.isAdjusted)
  // Still yellow: red and green without blue.
  assert.match(yellow.background, /^#[89a-f]\w[7-9a-f]\w00$/)
  assert.ok(shadeOf('#050505', 'dark').isAdjusted)
})

test('the contrast is the one of WCAG', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21)
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48')
})

test('the surfaces are those of the hosted pages', () => {
  const [light = '', dark = ''] = style.text.split('@media (prefers-color-scheme:dark)')
  for (const [css, scheme] of [
    [light, 'light'],
    [dark, 'dark'],
  ] as const) {
    const found = [/body\{[^}]*?background:(#\w+)/, /\.card\{[^}]*?background:(#\w+)/].map((part) => part.exec(css)?.[1] ?? '')
    const long = found.map((color) => (color.length === 4 ? color.replace(/\w/g, '$&$&') : color))
    assert.deepEqual(long, surfaces[scheme])
  }
})
