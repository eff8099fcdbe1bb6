/**
 * The form that sends a request from a page of the API reference, with its script and style. Invariants: it sends only with a test key,
 * only to this host and without cookies, and the key is nowhere but in the storage of this tab.
 */
import { publicFile } from '../../../platform/http/public-file.ts'
import type { Language } from '../checkout/messages.ts'
import type { Entry } from './reference-pages.ts'
import { escaped } from './markdown.ts'
import { freshKey } from '../../../platform/http/idempotency-key.ts'
import { keyInSession, testKeyForm } from './script.ts'

const english = {
  title: 'Send it',
  about: 'The request runs in your test environment: no real money moves. Make a test key in the dashboard, under Developers.',
  key: 'Test key',
  query: 'Query',
  body: 'Body (JSON)',
  fresh: 'New for each request',
  send: 'Send',
  answer: 'Answer',
  sending: 'Sending …',
  'not-a-key': 'This is no test key. A test key begins with svc_test_.',
  live: 'This is a live key. It was not stored and not sent: only test keys work here. If others can see this screen, replace it in the dashboard.',
  'no-answer': 'No answer came. Check the connection, then send it again.',
}

const words: Record<Language, typeof english> = {
  en: english,
  sw: {
    title: 'Tuma ombi',
    about:
      'Ombi linafanyika kwenye mazingira yako ya majaribio: hakuna pesa halisi inayohama. Tengeneza ufunguo wa majaribio kwenye dashibodi, sehemu ya Watengenezaji.',
    key: 'Ufunguo wa majaribio',
    query: 'Vigezo',
    body: 'Mwili (JSON)',
    fresh: 'Mpya kwa kila ombi',
    send: 'Tuma',
    answer: 'Jibu',
    sending: 'Inatumwa …',
    'not-a-key': 'Huu si ufunguo wa majaribio. Ufunguo wa majaribio huanza na svc_test_.',
    live: 'Huu ni ufunguo halisi. Haukuhifadhiwa wala kutumwa: hapa hutumika funguo za majaribio tu. Kama wengine wanaona skrini hii, ubadilishe kwenye dashibodi.',
    'no-answer': 'Hakuna jibu lililokuja. Angalia mtandao, kisha tuma tena.',
  },
}

type Field = NonNullable<Entry['operation']['parameters']>[number]

export function sendForm({ method, at, operation }: Entry, body: unknown, language: Language): string {
  const say = words[language]
  const fieldsIn = (place: string): Field[] => (operation.parameters ?? []).filter((one) => one.in === place)
  const input = ({ name, in: place, required }: Field): string => {
    const isFresh = name === 'idempotency-key'
    const more = isFresh ? ` placeholder="${say.fresh}" data-fresh` : required ? ' required' : ''
    return `<label>${escaped(name)}<input name="${escaped(name)}" data-in="${place}" autocomplete="off"${more}></label>\n`
  }
  const query = fieldsIn('query').map(input).join('')
  const text = JSON.stringify(body, null, 2)
  const spoken = (['sending', 'not-a-key', 'live', 'no-answer'] as const).map((name) => ` data-${name}="${escaped(say[name])}"`)
  return `<form class="send" lang="${language}" data-method="${method.toUpperCase()}" data-path="${escaped(at)}"${spoken.join('')} aria-labelledby="send" hidden>
<h2 id="send">${say.title}</h2>
<p>${say.about}</p>
<label>${say.key}<input name="key" autocomplete="off" spellcheck="false" placeholder="svc_test_…" required></label>
${fieldsIn('path').map(input).join('')}${query && `<details><summary>${say.query}</summary>\n${query}</details>\n`}${fieldsIn('header').map(input).join('')}${
    body === undefined
      ? ''
      : `<label>${say.body}<textarea name="body" rows="${Math.min(text.split('\n').length + 1, 16)}" spellcheck="false">${escaped(text)}</textarea></label>\n`
  }<button>${say.send}</button>
<p role="status"></p>
<div class="wide" role="region" aria-label="${say.answer}" tabindex="0" hidden><pre><code></code></pre></div>
</form>
<script src="${sendScriptAddress}" defer></script>
`
}

const source = `(function () {
'use strict'
// Addresses of the reference before each operation had a page.
var old = /^#\\/[^/]+\\/(\\w+)$/.exec(location.hash)
if (old) location.replace(location.pathname + '/' + old[1].replace(/[A-Z]/g, function (letter) { return '-' + letter.toLowerCase() }))

var form = document.querySelector('.send')
if (!form) return
var say = form.dataset
var status = form.querySelector('[role=status]')
var answer = form.querySelector('.wide')
var key = form.elements.key
form.hidden = false
try { key.value = sessionStorage.getItem('${keyInSession}') || '' } catch (error) { /* Without storage the key is pasted on each page. */ }

function keep() {
  var text = key.value = key.value.trim()
  var fault = ''
  if (/^svc_live_/.test(text)) { fault = say.live; key.value = '' }
  else if (text && !${testKeyForm}.test(text)) fault = say.notAKey
  status.textContent = fault
  key.setAttribute('aria-invalid', String(fault !== ''))
  try {
    if (text && !fault) sessionStorage.setItem('${keyInSession}', text)
    else sessionStorage.removeItem('${keyInSession}')
  } catch (error) { /* The key is in the field. */ }
  return text !== '' && fault === ''
}
key.addEventListener('change', keep)

function fresh() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), function (byte) { return byte.toString(16).padStart(2, '0') }).join('')
}

form.addEventListener('submit', function (event) {
  event.preventDefault()
  if (!keep()) { key.focus(); return }
  var path = say.path
  var query = new URLSearchParams()
  var headers = { 'x-api-key': key.value }
  form.querySelectorAll('[data-in]').forEach(function (field) {
    var value = field.value || ('fresh' in field.dataset ? fresh() : '')
    if (field.dataset.in === 'path') path = path.replace('{' + field.name + '}', encodeURIComponent(value))
    else if (value && field.dataset.in === 'query') query.append(field.name, value)
    else if (value) headers[field.name] = value
  })
  var body
  if (form.elements.body) {
    headers['content-type'] = 'application/json'
    body = form.elements.body.value.split('${freshKey}').join(fresh())
  }
  var button = form.querySelector('button')
  button.disabled = true
  status.textContent = say.sending
  answer.hidden = true
  fetch(path + (String(query) && '?' + query), { method: say.method, headers: headers, body: body, credentials: 'omit', referrerPolicy: 'no-referrer' })
    .then(function (response) {
      return response.text().then(function (text) {
        try { text = JSON.stringify(JSON.parse(text), null, 2) } catch (error) { /* It is no JSON. */ }
        status.textContent = response.status + ' ' + response.statusText
        answer.querySelector('code').textContent = text
        answer.hidden = text === ''
      })
    })
    .catch(function () { status.textContent = say.noAnswer })
    .finally(function () { button.disabled = false })
})
})()
`

export const sendScriptFile = publicFile('text/javascript; charset=utf-8', source)
const sendScriptAddress = `/docs/send.js?v=${sendScriptFile.hash}`

/** On the page that lists the operations. */
export const oldAddresses = `<script src="${sendScriptAddress}" defer></script>\n`

const style = `.sample{border:1px solid var(--line);border-radius:.5rem;margin:0 0 .5rem}
summary{padding:.6rem 1rem;cursor:pointer;min-height:2.75rem}
.sample .code{margin:0;border-width:1px 0 0;border-radius:0 0 .5rem .5rem}
.send:not([hidden]){display:grid;gap:.75rem;margin:2.2rem 0;padding:1rem;border:1px solid var(--line);border-radius:.5rem}
.send :is(h2,p){margin:0}
.send label{display:grid;gap:.25rem;min-width:0}
.send details label{margin:0 0 .75rem}
.send :is(input,textarea){min-height:2.75rem;width:100%;padding:.4rem .75rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--ground);color:inherit;font:inherit}
.send textarea{font:.9em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;resize:vertical}
.send button{justify-self:start;min-width:6rem;background:var(--brand);border-color:var(--brand);color:var(--ground);font-weight:600}
`

export const sendStyleFile = publicFile('text/css; charset=utf-8', style)

/** Apart from the style of all pages, which stays small; on every page of the reference. */
export const sendStyleLink = `<link rel="stylesheet" href="/docs/send.css?v=${sendStyleFile.hash}">\n`
