import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constantElement, Html, html } from './html.ts'

test('every inserted value is text, in elements and in attributes', () => {
  const markup = `<script>alert("1")</script>&'`
  assert.equal(
    html`<p title="${markup}">${markup}</p>`.text,
    '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;">&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;</p>',
  )
})

test('templates nest, lists are joined, and missing values insert nothing', () => {
  const rows = ['a', '<b>'].map((row) => html`<li>${row}</li>`)
  assert.equal(html`<ul>${rows}</ul>${false}${null}${undefined}${''}${0}`.text, '<ul><li>a</li><li>&lt;b&gt;</li></ul>0')
})

test('the indentation of the source is not sent, that of a value is', () => {
  const paragraph = 'one\n  two'
  const indented = html`<p>
    ${paragraph}
  </p>`
  assert.equal(indented.text, '<p> one\n  two </p>')
})

test('only the tag makes markup, and constants cannot end their element', () => {
  assert.throws(() => new Html('<b>', Symbol('the maker of markup')))
  assert.throws(() => constantElement('script', 'a="</script>"'))
})
