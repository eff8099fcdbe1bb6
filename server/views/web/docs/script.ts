/**
 * The script of a documentation page: a button that copies each code block, and the reader's test key in the commands. Everything else
 * works without it. Invariant: the key stays in this tab, because the page's policy allows no request that could carry it.
 */
import { publicFile } from '../../../platform/http/public-file.ts'

/** Where the dashboard leaves a test key for the documentation in a tab that it opens: `dashboard/src/merchant/docs-with-key.tsx`. */
export const keyInSession = 'malipo-docs-key'
/** Stands in a code block for the reader's test key. */
export const keyPlace = 'svc_test_YOUR_KEY'
/** The regular expression of a test key, as the scripts of pages have it. */
export const testKeyForm = '/^svc_test_[0-9A-Za-z]+$/'

const source = `(function () {
'use strict'
var say = document.body.dataset
var status = document.createElement('p')
status.className = 'unseen'
status.setAttribute('role', 'status')
document.body.append(status)

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

var key = null
try { key = sessionStorage.getItem('${keyInSession}') } catch (error) { /* Without storage there is no key. */ }
if (!key || !${testKeyForm}.test(key)) return
var filled = false
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
