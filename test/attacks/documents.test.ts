/** Attacks with and on documents: names, contents, sizes, signed addresses, other people's documents. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import sharp from 'sharp'
import { eicar, startClamd } from '../clamd.ts'
import {
  files,
  presign,
  registerBusiness,
  send,
  submitBusiness,
  submittedBusiness,
  uploadFour,
  type File,
  type UploadAddress,
} from '../onboarding.ts'
import { newMember } from '../members.ts'
import * as samples from '../sample-documents.ts'
import { share, type Answer, type Student } from '../app.ts'
import { attackAll, startAttackedApp, type Attack, type AttackedApp } from './attacked-app.ts'

const sharedApp = share((ending) => startAttackedApp(ending))

/** The files that may be uploaded in an hour; here there are more. */
const manyFiles = { settings: { RATE_LIMIT_QUOTAS: 'presign=1000/3600' } }

async function place(app: AttackedApp, student: Student): Promise<string> {
  return `/v1/businesses/${(await registerBusiness(app, student)).id}`
}

test('an address for a file is given for known purposes, types and plain names, and only to its owner [A20]', async (t) => {
  const app = await startAttackedApp(t, manyFiles)
  const [owner, stranger] = [await app.student(), await app.student()]
  const where = await place(app, owner)
  const ask = (fields: Record<string, unknown>, token = owner.token) =>
    app.call('POST', `${where}/documents/presign`, {
      token,
      body: { filename: 'a.pdf', content_type: 'application/pdf', purpose: 'tax_certificate', ...fields },
    })
  const mistakes: [string, Record<string, unknown>, string][] = [
    ['a purpose of people', { purpose: 'selfie' }, '400 validation_error'],
    ['a purpose that is a path', { purpose: '../tax_certificate' }, '400 validation_error'],
    ['a name that is a path', { filename: '../../x.pdf' }, '400 validation_error'],
    ['a name that is a path of Windows', { filename: '..\\..\\x.pdf' }, '400 validation_error'],
    ['two extensions', { filename: 'a.pdf.exe' }, '400 filename_extension_mismatch'],
    ['NUL', { filename: 'a.exe\u0000.pdf' }, '400 invalid_json'],
    ['a name that is read from the right', { filename: 'a\u202efdp.pdf' }, '400 validation_error'],
    ['300 characters', { filename: `${'a'.repeat(296)}.pdf` }, '400 validation_error'],
    ['a line break', { filename: 'a\r\nX-Evil: 1.pdf' }, '400 validation_error'],
    ['another type than the name', { filename: 'x.PDF', content_type: 'image/png' }, '400 filename_extension_mismatch'],
    ['SVG', { filename: 'x.svg', content_type: 'image/svg+xml' }, '400 unsupported_document_type'],
  ]
  await attackAll(
    app,
    mistakes.map(([name, fields, expects]) => ({ name, send: () => ask(fields), expects, isMistake: true })),
  )
  await app.attack({ name: 'another owner’s business', send: () => ask({}, stranger.token), expects: '404 not_found' })
  const { status, body } = await ask({ filename: 'Ushahidi wa kodi (nakala) é.PDF' })
  assert.equal(status, 200)
  assert.match(body.data.document_url, /\/business-docs\/biz_\w{26}\/tax_certificate\/doc_\w{26}\.pdf$/)
})

/** Uploads each file once, each to its own address. */
async function uploads(
  app: AttackedApp,
  student: Student,
  where: string,
  rows: [name: string, file: File, expects: string, isMistake?: boolean][],
): Promise<void> {
  for (const [name, file, expects, isMistake = false] of rows) {
    const address = await presign(app, student, where, 'tax_certificate', file)
    // The owner sees that the file was refused.
    await app.attack({ name, send: () => send(address, file.bytes), expects, isMistake, changes: ['documents'] })
    await app.attack({ name: `${name}, again`, send: () => send(address, files.pdf().bytes), expects: '403 address_used' })
  }
}

test('a file that is not of its declared type, contains active content, or is built to exhaust resources is refused [A21, A25, A26]', async (t) => {
  const app = await startAttackedApp(t, manyFiles)
  const student = await app.student()
  const where = await place(app, student)
  const pdf = (bytes: Buffer): File => ({ ...files.pdf(), bytes })
  const png = (bytes: Buffer): File => ({ ...files.png(), bytes })
  const jpeg = (bytes: Buffer): File => ({ ...files.jpeg(), bytes })
  const mismatch = '400 document_content_mismatch'
  await uploads(app, student, where, [
    ['PNG bytes declared as PDF', pdf(samples.pngDocument()), mismatch],
    ['HTML as PNG', png(Buffer.from('<!doctype html><script>alert(1)</script>')), mismatch],
    ['SVG as PNG', png(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')), mismatch],
    ['nothing', jpeg(Buffer.alloc(0)), mismatch],
    ['one byte', jpeg(Buffer.from([0xff])), mismatch],
    ['a zip that is a PDF too', pdf(samples.pdfAndZip()), mismatch],
    ...Object.entries(samples.activePdfs).map(([name, make]): [string, File, string] => [
      `a PDF with ${name}`,
      pdf(make()),
      '400 document_active_content',
    ]),
    [
      'a PDF with a script in an object stream',
      pdf(samples.pdfWithObjectStream('<< /S /JavaScript /JS (app.alert(1)) >>')),
      '400 document_active_content',
    ],
    ['an encrypted PDF', pdf(samples.encryptedPdf()), '400 document_encrypted', true],
    ['a PNG of 100,000 by 100,000', png(samples.pngOfSize(100_000, 100_000)), '400 document_too_complex'],
    ['a PDF of a hundred pages', pdf(samples.pdfDocument({ pages: 100 })), '400 document_too_complex'],
  ])
})

test('a photo keeps only its visible content: no location, no trailing data [A26]', async () => {
  const app = await sharedApp()
  const admin = await app.admin()
  const student = await app.student()
  const where = await place(app, student)
  const urls = await uploadFour(app, student, where.split('/').at(-1)!)
  for (const [purpose, bytes] of [
    ['tax_certificate', await samples.jpegWithPlace()],
    ['business_license', samples.jpegWithScript()],
  ] as const) {
    const address = await presign(app, student, where, purpose, files.jpeg())
    assert.equal((await send(address, bytes)).status, 200)
    urls[`${purpose}_url`] = address.document_url
  }
  assert.equal((await submitBusiness(app, student, where.split('/').at(-1)!, urls)).status, 200)
  for (const purpose of ['tax_certificate', 'business_license']) {
    const view = await app.call('POST', `/v1/admin${where.slice(3)}/documents/${purpose}/view`, { token: admin.token })
    const response = await fetch(view.body.data.view_url, { headers: { authorization: `Bearer ${admin.token}` } })
    const copy = Buffer.from(await response.arrayBuffer())
    assert.equal((await sharp(copy).metadata()).exif, undefined)
    assert.ok(!copy.includes('<?php'))
    assert.match(response.headers.get('content-security-policy')!, /sandbox/)
  }
})

/** Sends a body that does not end and returns the answer. */
function sendEndless(address: UploadAddress): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(address.upload_url, { method: 'PUT', headers: address.headers }, (response) => {
      let text = ''
      response.on('data', (piece) => (text += String(piece)))
      response.on('error', () => undefined)
      response.on('end', () => {
        const headers = new Headers({ 'x-request-id': String(response.headers['x-request-id']) })
        resolve({ status: response.statusCode!, headers, body: JSON.parse(text) })
      })
    })
    const piece = Buffer.alloc(64 * 1024, 0xff)
    const push = (): void => {
      while (!request.destroyed && request.write(piece));
    }
    request.on('drain', push)
    // The connection is cut while the body is still being sent.
    request.on('error', () => undefined)
    setTimeout(() => reject(new Error('nothing was answered')), 20_000).unref()
    push()
  })
}

test('a file ends at its largest size, whatever its declared length, and a slow trickle is cut [A22]', async (t) => {
  const app = await startAttackedApp(t, { settings: { UPLOAD_IDLE_MS: '300' } })
  const student = await app.student()
  const address = await presign(app, student, await place(app, student), 'tax_certificate', files.jpeg())
  const { pathname, search, port } = new URL(address.upload_url)
  const dripping = `PUT ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-type: image/jpeg\r\ncontent-length: 5000\r\n\r\nabc`
  await attackAll(app, [
    {
      name: 'a byte too many',
      send: () => send(address, Buffer.alloc(address.max_bytes + 1, 0xff)),
      expects: '413 document_too_large',
      isMistake: true,
    },
    { name: 'no length and no end', send: () => sendEndless(address), expects: '413 document_too_large', isMistake: true },
    {
      name: 'three bytes of five thousand',
      send: () => app.sendRaw(dripping, Number(port)),
      expects: '408 upload_too_slow',
      isMistake: true,
    },
  ])
  assert.equal((await send(address, samples.jpegDocument())).status, 200)
})

test('an upload address is for one file, of one type, by one method, and unchanged [A23]', async (t) => {
  const app = await startAttackedApp(t)
  const student = await app.student()
  const where = await place(app, student)
  const file = files.png()
  const [address, other] = [
    await presign(app, student, where, 'tax_certificate', file),
    await presign(app, student, where, 'business_license', file),
  ]
  const at = (upload_url: string) => () => send({ ...address, upload_url }, file.bytes)
  const invalid = '403 signature_invalid'
  await attackAll(app, [
    { name: 'without a signature', send: at(address.document_url), expects: '403 signature_required' },
    { name: 'another signature', send: at(`${address.document_url}?expires=99999999999&signature=x`), expects: invalid },
    { name: 'a later end', send: at(address.upload_url.replace(/expires=\d+/, 'expires=99999999999')), expects: invalid },
    { name: 'another document', send: at(`${other.document_url}?${address.upload_url.split('?')[1]}`), expects: invalid },
    { name: 'another purpose', send: at(address.upload_url.replace('tax_certificate', 'proof_of_address')), expects: invalid },
    { name: 'more of a signature', send: at(`${address.upload_url}x`), expects: invalid },
    {
      name: 'another type',
      send: () => send(address, file.bytes, { headers: { 'content-type': 'image/jpeg' } }),
      expects: invalid,
    },
    {
      name: 'a type with more',
      send: () => send(address, file.bytes, { headers: { 'content-type': 'image/png; a=b' } }),
      expects: invalid,
    },
    { name: 'another method', send: () => send(address, file.bytes, { method: 'POST' }), expects: '403 signature_required' },
    { name: 'to read', send: () => send(address, file.bytes, { method: 'GET', body: null }), expects: invalid },
  ])
  assert.equal((await send(address, file.bytes)).status, 200)
  await app.attack({ name: 'a second file', send: at(address.upload_url), expects: '403 address_used' })
  await app.owner.pool.query(
    `update documents set address_expires_at = clock_now() - interval '1 second' where state = 'awaiting'`,
  )
  await app.attack({ name: 'too late', send: at(other.upload_url), expects: '403 address_used' })
})

test('malware is refused; without a scanner no upload is accepted and no submission is possible [A27]', async (t) => {
  const clamd = await startClamd(t)
  const app = await startAttackedApp(t, { settings: { CLAMD_URL: clamd.url } })
  const student = await app.student()
  const where = await place(app, student)
  const infected = { ...files.jpeg(), bytes: Buffer.concat([samples.jpegDocument(), Buffer.from(eicar)]) }
  await uploads(app, student, where, [['malware', infected, '400 document_infected']])
  const urls = await uploadFour(app, student, where.split('/').at(-1)!)
  const address = await presign(app, student, where, 'business_license', files.jpeg())
  clamd.mood = 'closing'
  await app.attack({
    name: 'no scanner',
    send: () => send(address, files.jpeg().bytes),
    expects: '503 scanner_unavailable',
    isMistake: true,
  })
  const submitted = { ...urls, business_license_url: address.document_url }
  await app.attack({
    name: 'what no scanner saw',
    send: () => submitBusiness(app, student, where.split('/').at(-1)!, submitted),
    expects: '400 document_not_uploaded',
    isMistake: true,
  })
})

test('submitted addresses are letter for letter ours, for this business and purpose, and the service never fetches them [A28]', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { id } = await registerBusiness(app, student)
  const urls = await uploadFour(app, student, id)
  const stranger = await submittedBusiness(app)
  const own = urls['tax_certificate_url']!
  const { storage } = app.config.urls
  const { port } = new URL(storage)
  const path = own.slice(storage.length)
  const wrong: Record<string, string> = {
    'another host': `https://storage.evil.com${path}`,
    'our host as a user': own.replace('http://', 'http://evil@'),
    'our host as the user of another': own.replace(`:${port}`, `:${port}@evil.com`),
    'our host as the start of another': own.replace(`:${port}`, `.evil.com:${port}`),
    'no scheme': own.replace('http:', ''),
    'another scheme': own.replace('http://', 'https://'),
    'another port': own.replace(`:${port}`, ':1'),
    'a path that climbs': own.replace('/business-docs/', '/x/../business-docs/'),
    'a path that climbs, encoded': own.replace('/business-docs/', '/x/%2e%2e/business-docs/'),
    'a path in other letters': own.replace('/tax_certificate/', '/tax%5fcertificate/'),
    'the host of metadata': 'http://169.254.169.254/latest/meta-data',
    'another purpose': urls['business_license_url']!,
    'another business': stranger.urls['tax_certificate_url']!,
    'a document that there is not': `${storage}/business-docs/${id}/tax_certificate/doc_01jz8e6c9kf0x9v4m2n7q5t3ab.pdf`,
  }
  const submit = (body: Record<string, string>) => () => submitBusiness(app, student, id, body)
  await attackAll(app, [
    ...Object.entries(wrong).map(([name, url]): Attack => ({
      name,
      send: submit({ ...urls, tax_certificate_url: url }),
      expects: '400 document_url_invalid',
    })),
    {
      name: 'one file for all',
      send: submit(Object.fromEntries(Object.keys(urls).map((field) => [field, own]))),
      expects: '400 document_url_invalid',
    },
  ])
})

test('a document opens only for the reviewer who requested it: not for a guess, not in a list, not for another reviewer [A29]', async () => {
  const app = await sharedApp()
  const { student, business, urls } = await submittedBusiness(app)
  const [admin, other] = [await app.admin(), await app.admin()]
  const cashier = await newMember(app, student, business.id, 'cashier')
  const view = await app.call('POST', `/v1/admin/businesses/${business.id}/documents/tax_certificate/view`, {
    token: admin.token,
  })
  const url: string = view.body.data.view_url
  const { storage } = app.config.urls
  const look = (at: string, token?: string) => async (): Promise<Answer> => {
    const response = await fetch(at, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const file = urls['tax_certificate_url']!
  await attackAll(app, [
    { name: 'without a token, the plain address', send: look(file), expects: '403 signature_required' },
    { name: 'its owner, the plain address', send: look(file, student.token), expects: '403 signature_required' },
    { name: 'a reviewer, the plain address', send: look(file, admin.token), expects: '403 signature_required' },
    {
      name: 'a guessed key',
      send: look(file.replace(/doc_\w+/, 'doc_01jz8e6c9kf0x9v4m2n7q5t3ab'), admin.token),
      expects: '403 signature_required',
    },
    {
      name: 'the list of a bucket',
      send: look(`${storage}/business-docs?list-type=2`, admin.token),
      expects: '403 signature_required',
    },
    { name: 'everything', send: look(`${storage}/`), expects: '403 signature_required' },
    { name: 'without a token, the signed address', send: look(url), expects: '401 authentication_required', isMistake: true },
    {
      name: 'its owner, the signed address',
      send: look(url, student.token),
      expects: '403 not_your_view',
    },
    {
      name: 'a cashier of the business',
      send: look(url, cashier.token),
      expects: '403 admin_required',
      changes: ['audit_head', 'audit_log'],
    },
    { name: 'another reviewer', send: look(url, other.token), expects: '403 not_your_view' },
    { name: 'another view', send: look(url.replace(/view=[^&]+/, 'view=x'), admin.token), expects: '403 signature_invalid' },
  ])
})
