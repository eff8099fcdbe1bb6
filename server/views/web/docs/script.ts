/**
 * The script of a documentation page: results under the search field while the reader types, a button that copies each code block, and
 * the reader's test key in the commands. Everything else works without it. Invariant: the key stays in this tab. The script's one
 * request carries only the words in the search field, and the page's policy allows requests to this host alone.
 */
import { publicFile } from '../../../platform/http/public-file.ts'

/** Where the dashboard leaves a test key for the documentation in a tab that it opens: `dashboard/src/merchant/docs-with-key.tsx`. */
export const keyInSession = 'malipo-docs-key'
/** Stands in a code block for the reader's test key. */
export const keyPlace = 'svc_test_YOUR_KEY'
/** The regular expression of a test key, as the scripts of pages have it. */
export const testKeyForm = '/^svc_test_[0-9A-Za-z]+$/'

/**
 * The field is a combobox: the first result is chosen at once, so that Enter opens it. Enter waits for results that are on their way;
 * without any, the form shows its page.
 */
const search = `
var form = document.querySelector('header form')
var field = form.querySelector('input')
var list = document.createElement('ul')
var asked = '', shown = null, chosen = 0, isWanted = false, typing
list.id = 'found'
list.hidden = true
list.setAttribute('role', 'listbox')
list.setAttribute('aria-label', say.results)
form.append(list)
field.autocomplete = 'off'
Object.entries({ role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': 'found', 'aria-expanded': 'false', 'aria-keyshortcuts': 'Control+K' })
  .forEach(function (pair) { field.setAttribute(pair[0], pair[1]) })
if (matchMedia('(min-width:56rem)').matches) field.placeholder += ' (Ctrl K)'

function close() {
  list.hidden = true
  field.setAttribute('aria-expanded', 'false')
  field.removeAttribute('aria-activedescendant')
}

function choose(place) {
  chosen = (place + list.children.length) % list.children.length
  Array.from(list.children).forEach(function (one, index) { one.setAttribute('aria-selected', String(index === chosen)) })
  field.setAttribute('aria-activedescendant', list.children[chosen].id)
  list.children[chosen].scrollIntoView({ block: 'nearest' })
}

function go() {
  close()
  if (list.children.length === 0) return form.submit()
  field.blur()
  location.assign(list.children[chosen].dataset.address)
}

function add(address, title, pieces, language) {
  var one = document.createElement('li')
  var text = document.createElement('span')
  one.id = 'found-' + list.children.length
  one.dataset.address = address
  if (language !== document.documentElement.lang) one.lang = language
  one.setAttribute('role', 'option')
  pieces.forEach(function (piece) {
    var part = document.createElement(piece.isFound ? 'mark' : 'span')
    part.textContent = piece.text
    text.append(part)
  })
  one.append(title, text)
  one.addEventListener('click', function () { chosen = Array.from(list.children).indexOf(one); go() })
  list.append(one)
}

function show(question, hits) {
  shown = question
  list.replaceChildren()
  hits.forEach(function (hit) { add(hit.address, hit.title, hit.excerpt, hit.language) })
  if (hits.length > 0) add(form.action + '?q=' + encodeURIComponent(question), say.all, [], document.documentElement.lang)
  status.textContent = hits.length > 0 ? say.hits.replace('…', hits.length) : say.nothing
  if (isWanted) return go()
  if (hits.length > 0) open()
  else close()
}

function open() {
  list.hidden = false
  field.setAttribute('aria-expanded', 'true')
  choose(0)
}

function ask() {
  var question = field.value.trim()
  clearTimeout(typing)
  if (question === asked && question !== '') return
  asked = question
  if (question === '') { shown = null; return close() }
  fetch(form.action + '.json?q=' + encodeURIComponent(question), { credentials: 'omit' })
    .then(function (answer) { return answer.json() })
    .then(function (body) { if (question === asked) show(question, body.data) })
    .catch(function () { if (question === asked) asked = ''; if (isWanted) form.submit() })
}

field.addEventListener('input', function () { clearTimeout(typing); isWanted = false; typing = setTimeout(ask, 120) })
field.addEventListener('focus', function () { if (list.children.length > 0 && shown === field.value.trim()) open() })
field.addEventListener('blur', close)
list.addEventListener('mousedown', function (event) { event.preventDefault() })
field.addEventListener('keydown', function (event) {
  var step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step && !list.hidden) { event.preventDefault(); choose(chosen + step) }
  if (event.key === 'Escape' && !list.hidden) { event.preventDefault(); close() }
  if (event.key !== 'Enter' || field.value.trim() === '') return
  event.preventDefault()
  if (shown === field.value.trim()) return go()
  isWanted = true
  ask()
})
document.addEventListener('keydown', function (event) {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
  event.preventDefault()
  field.focus()
  field.select()
})
`

const source = `(function () {
'use strict'
var say = document.body.dataset
var status = document.createElement('p')
status.className = 'unseen'
status.setAttribute('role', 'status')
document.body.append(status)
${search}

function copySelected(node) {
  var range = document.createRange()
  range.selectNodeContents(node)
  var selection = getSelection()
  selection.removeAllRanges()
  selection.addRange(range)
  var done = document.execCommand('copy')
  selection.removeAllRanges()
  if (!done) throw new Error('not copied')
}

// The clipboard exists only on https and on this machine.
function copy(node) {
  if (navigator.clipboard) return navigator.clipboard.writeText(node.textContent)
  return new Promise(function (resolve) { copySelected(node); resolve() })
}

document.querySelectorAll('.code').forEach(function (block) {
  var button = document.createElement('button')
  var timer
  button.type = 'button'
  button.className = 'copy'
  button.textContent = say.copy
  button.setAttribute('aria-label', say.copy + ': ' + block.querySelector('.wide').getAttribute('aria-label'))
  function show(text) {
    clearTimeout(timer)
    button.textContent = status.textContent = text
    timer = setTimeout(function () { button.textContent = say.copy; status.textContent = '' }, 3000)
  }
  button.addEventListener('click', function () {
    copy(block.querySelector('code')).then(function () { show(say.copied) }, function () { show(say.notCopied) })
  })
  block.prepend(button)
})

var isKey = ${testKeyForm}
var key = null
var filled = false
try { key = sessionStorage.getItem('${keyInSession}') } catch (error) { /* Without storage there is no key. */ }
if (!key || !isKey.test(key)) {
  var place = Array.from(document.querySelectorAll('.code')).find(function (block) { return block.textContent.indexOf('${keyPlace}') >= 0 })
  // The form of the reference has its own field.
  if (!place || document.querySelector('.send')) return
  var paste = document.createElement('form')
  paste.className = 'filled'
  paste.innerHTML = '<label for="key"></label><input id="key" autocomplete="off" spellcheck="false" required><button></button>'
  paste.querySelector('label').textContent = say.yourKey
  paste.querySelector('button').textContent = say.fill
  paste.addEventListener('submit', function (event) {
    event.preventDefault()
    var pasted = paste.querySelector('input').value.trim()
    if (!isKey.test(pasted)) { status.textContent = paste.querySelector('label').textContent = say.noKey; return }
    sessionStorage.setItem('${keyInSession}', pasted)
    location.reload()
  })
  place.before(paste)
  return
}
document.querySelectorAll('.code code').forEach(function (code) {
  if (code.textContent.indexOf('${keyPlace}') < 0) return
  var texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.split('${keyPlace}').join(key)
  if (filled) return
  filled = true
  var note = document.createElement('p')
  note.className = 'filled'
  note.append(say.filled.replace('…', '…' + key.slice(-4)) + ' ')
  var forget = document.createElement('button')
  forget.type = 'button'
  forget.textContent = say.forget
  forget.addEventListener('click', function () { sessionStorage.removeItem('${keyInSession}'); location.reload() })
  note.append(forget)
  code.closest('.code').before(note)
})
})()
`

export const scriptFile = publicFile('text/javascript; charset=utf-8', source)

/** Changes with the script, so that a browser may cache it permanently. */
export const scriptAddress = `/docs/script.js?v=${scriptFile.hash}`
