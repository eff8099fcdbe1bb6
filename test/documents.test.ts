/** The storage host over real sockets: signatures, one use, size, slowness, a scanner, a store that is down, and who may read. */
import assert from 'node:assert/strict'
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { sweepObjects } from '../server/merchants/documents/sweep-uploads.ts'
import { folderIdFile } from '../server/merchants/documents/folder-id.ts'
import { StoreUnavailable } from '../server/merchants/documents/document-store.ts'
import { eicar, startClamd } from './clamd.ts'
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
} from './onboarding.ts'
import {
  jpegDocument,
  jpegWithPlace,
  jpegWithScript,
  ownerLockedPdf,
  pdfWithObjectStream,
  pngDocument,
  truncatedJpeg,
} from './sample-documents.ts'
import { setDatabaseClock, stopDatabaseClock } from './database-clock.ts'
import { startFleet } from './fleet.ts'
import { eventually, share, startTestApp, type Answer, type Student, type TestApp } from './app.ts'

const sharedApp = share((ending) => startTestApp(ending))

function codeOf({ status, body }: Answer): string {
  return `${status} ${body?.error?.code ?? ''}`.trim()
}

async function place(app: TestApp, student: Student): Promise<string> {
  return `/v1/businesses/${(await registerBusiness(app, student)).id}`
}

function statusOf(app: TestApp, student: Student, where: string): Promise<string[]> {
  return app
    .call('GET', where, { token: student.token })
    .then(({ body }) => body.data.documents.map(({ status }: { status: string }) => status))
}

/** The files in the service's folders for uploads in progress; no file may stay there. */
async function leftOvers(app: TestApp): Promise<number> {
  return (await readdir(join(app.config.dataDir, 'uploads')).catch(() => [])).length
}

test('an address takes one file, of its type, by PUT, unchanged; anything else is refused and leaves it usable', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const where = await place(app, student)
  const file = files.png()
  const address = await presign(app, student, where, 'tax_certificate', file)
  assert.deepEqual([address.method, address.headers, address.max_bytes], ['PUT', { 'content-type': 'image/png' }, 10_000_000])
  const minutes = (Date.parse(address.expires_at) - Date.now()) / 60_000
  assert.ok(minutes > 14 && minutes <= 15)

  const other = await presign(app, student, where, 'business_license', file)
  const change = (text: string) => ({ ...address, upload_url: text })
  const wrong: [UploadAddress, RequestInit, string][] = [
    [change(address.document_url), {}, 'signature_required'],
    [change(`${address.document_url}?expires=99999999999&signature=x`), {}, 'signature_invalid'],
    [change(address.upload_url.replace(/expires=\d+/, 'expires=99999999999')), {}, 'signature_invalid'],
    [change(`${other.document_url}?${address.upload_url.split('?')[1]}`), {}, 'signature_invalid'],
    [change(`${address.upload_url}x`), {}, 'signature_invalid'],
    [change(`${address.upload_url}&x=1`), {}, 'signature_invalid'],
    [change(`${address.upload_url}&expires=1`), {}, 'signature_invalid'],
    [change(address.upload_url.replace('tax_certificate', 'proof_of_address')), {}, 'signature_invalid'],
    [change(address.upload_url.replace('/tax_certificate/', '/%2e%2e/tax_certificate/')), {}, 'signature_required'],
    [change(`${app.config.urls.storage}/`), {}, 'signature_required'],
    [address, { headers: { 'content-type': 'image/jpeg' } }, 'signature_invalid'],
    [address, { headers: { 'content-type': 'image/png; charset=x' } }, 'signature_invalid'],
    [address, { headers: {} }, 'signature_invalid'],
    [address, { method: 'POST' }, 'signature_required'],
    [address, { method: 'DELETE' }, 'signature_required'],
    [address, { method: 'GET', body: null }, 'signature_invalid'],
  ]
  const { paths } = (await app.call('GET', '/openapi.json')).body
  const { responses, parameters, servers } = paths['/business-docs/{owner}/{purpose}/{file}'].put
  for (const [to, changes, code] of wrong) {
    const answer = await send(to, file.bytes, changes)
    assert.equal(codeOf(answer), `403 ${code}`, `${to.upload_url} ${JSON.stringify(changes)}`)
    assert.ok(code in responses['403'].content['application/json'].examples, code)
  }
  const { origin, searchParams } = new URL(address.upload_url)
  const inQuery = parameters.filter((one: { in: string }) => one.in === 'query').map(({ name }: { name: string }) => name)
  assert.deepEqual([servers, inQuery.sort()], [[{ url: origin }], [...searchParams.keys()].sort()])
  assert.deepEqual(await statusOf(app, student, where), ['missing', 'missing', 'missing', 'missing'])

  const both = await Promise.all([
    send(address, file.bytes, { headers: { 'content-type': 'IMAGE/PNG' } }),
    send(address, file.bytes),
  ])
  assert.deepEqual(both.map(codeOf).sort(), ['200', '403 address_used'])
  const { properties } = responses['200'].content['application/json'].schema.properties.data
  assert.deepEqual(Object.keys(both.find(({ status }) => status === 200)!.body.data), Object.keys(properties))
  assert.equal(codeOf(await send(address, pngDocument())), '403 address_used')
  assert.deepEqual(await statusOf(app, student, where), ['missing', 'uploaded', 'missing', 'missing'])

  const late = await presign(app, student, where, 'business_license', file)
  await app.owner.pool.query(
    `update documents set address_expires_at = clock_now() - interval '1 second' where state = 'awaiting'`,
  )
  assert.equal(codeOf(await send(late, file.bytes)), '403 address_used')
  assert.equal(await leftOvers(app), 0)
})

test('an address and a view are valid in their last second, and not one second after their end [T13]', async () => {
  const app = await sharedApp()
  const { business, urls } = await submittedBusiness(app)
  assert.ok(urls)
  const admin = await app.admin()
  const student = await app.student()
  const where = await place(app, student)
  const file = files.png()
  const addresses = [
    await presign(app, student, where, 'tax_certificate', file),
    await presign(app, student, where, 'business_license', file),
  ]
  for (const [address, seconds, answer] of [
    [addresses[0]!, -1, '200'],
    [addresses[1]!, 1, '403 address_used'],
  ] as const) {
    await stopDatabaseClock(app.owner, new Date(address.expires_at), seconds)
    assert.equal(codeOf(await send(address, file.bytes)), answer)
  }
  await setDatabaseClock(app, '0')
  for (const [seconds, status] of [
    [-1, 200],
    [1, 403],
  ] as const) {
    const at = `/v1/admin/businesses/${business.id}/documents/tax_certificate/view`
    const { body } = await app.call('POST', at, { token: admin.token })
    await stopDatabaseClock(app.owner, new Date(body.data.expires_at), seconds)
    const response = await fetch(body.data.view_url, { headers: { authorization: `Bearer ${admin.token}` } })
    assert.equal(response.status, status)
    await response.arrayBuffer()
    await setDatabaseClock(app, '0')
  }
})

test('a file of another type than declared is refused, its owner is notified, and the address is used up', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const where = await place(app, student)
  const jpeg = files.jpeg()
  const pdf = files.pdf()
  const refused: [File, string][] = [
    [{ ...pdf, bytes: pngDocument() }, 'document_content_mismatch'],
    [{ ...files.png(), bytes: Buffer.from('<!doctype html><script>alert(1)</script>') }, 'document_content_mismatch'],
    [{ ...files.png(), bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') }, 'document_content_mismatch'],
    [{ ...jpeg, bytes: Buffer.alloc(0) }, 'document_content_mismatch'],
    [{ ...jpeg, bytes: Buffer.from([0xff]) }, 'document_content_mismatch'],
    [{ ...pdf, bytes: Buffer.concat([Buffer.from('PK\u0003\u0004'), pdf.bytes]) }, 'document_content_mismatch'],
    [{ ...pdf, bytes: pdfWithObjectStream('<< /S /JavaScript /JS (app.alert(1)) >>') }, 'document_active_content'],
  ]
  for (const [file, code] of refused) {
    const address = await presign(app, student, where, 'tax_certificate', file)
    assert.equal(codeOf(await send(address, file.bytes)), `400 ${code}`)
    assert.equal(codeOf(await send(address, files.pdf().bytes)), '403 address_used')
    const { documents, requirements } = (await app.call('GET', where, { token: student.token })).body.data
    assert.equal(documents[1].status, 'refused')
    assert.deepEqual(
      requirements.errors.map((error: { item: string; code: string }) => [error.item, error.code]),
      [['tax_certificate', code]],
    )
    assert.ok(requirements.errors[0].reason.length > 10)
  }
  assert.equal(await leftOvers(app), 0)
})

test('a byte too many stops the upload early, with and without a declared length', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const where = await place(app, student)
  const address = await presign(app, student, where, 'tax_certificate', files.jpeg())
  const declared = await send(address, Buffer.alloc(address.max_bytes + 1, 0xff))
  assert.equal(codeOf(declared), '413 document_too_large')

  // A body without end: the host stops reading, answers, and cuts the connection.
  const sent = await new Promise<{ status: number; bytes: number }>((resolve, reject) => {
    let bytes = 0
    let status = 0
    const request = httpRequest(address.upload_url, { method: 'PUT', headers: address.headers }, (response) => {
      status = response.statusCode!
      response.resume()
    })
    const chunk = Buffer.alloc(64 * 1024, 0xff)
    const push = (): void => {
      while (!request.destroyed && request.write(chunk)) bytes += chunk.length
      if (!request.destroyed) bytes += chunk.length
    }
    request.on('drain', push)
    request.on('error', () => resolve({ status, bytes }))
    request.on('close', () => resolve({ status, bytes }))
    setTimeout(() => reject(new Error('the line was never cut')), 20_000).unref()
    push()
  })
  assert.equal(sent.status, 413)
  assert.ok(sent.bytes < address.max_bytes + 8_000_000, `${sent.bytes} bytes were taken`)

  assert.equal((await send(address, jpegDocument())).status, 200)
  assert.equal(await leftOvers(app), 0)
})

test('files that apps and scanners really write are accepted, and what is wrong with one is said in the answer to its upload [R09]', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const where = await place(app, student)
  const jpeg = files.jpeg()
  const good: File[] = [
    { ...jpeg, filename: 'leseni.jfif' },
    { ...jpeg, filename: 'LESENI.JPE', bytes: jpeg.bytes.subarray(0, -2) },
    { ...files.pdf(), bytes: ownerLockedPdf() },
    { ...files.pdf(), bytes: Buffer.concat([Buffer.from('\ufeff'), files.pdf().bytes]) },
  ]
  for (const file of good) {
    const { status, body } = await send(await presign(app, student, where, 'tax_certificate', file), file.bytes)
    assert.deepEqual([status, body.data?.unreadable, body.data?.warnings], [200, false, []], file.filename)
  }
  const broken = await send(await presign(app, student, where, 'tax_certificate', jpeg), truncatedJpeg())
  assert.deepEqual([broken.status, broken.body.data.unreadable], [200, true])
  const [warning, ...more] = broken.body.data.warnings
  assert.equal(warning.code, 'document_unreadable')
  assert.match(`${warning.message} ${warning.message_sw}`, /Upload another one\..*Pakia jingine\.$/)
  assert.equal(more.length, 0)

  const named = await app.call('POST', `${where}/documents/presign`, {
    token: student.token,
    body: { filename: 'IMG_1.HEIC', content_type: 'image/heic', purpose: 'tax_certificate' },
  })
  assert.equal(codeOf(named), '400 unsupported_document_type')
  assert.match(named.body.error.message, /HEIC picture .* Save it as JPEG/)
  assert.match(named.body.error.message_sw, /HEIC .*kama JPEG/)
})

test('a stalled upload is cut, one whose connection breaks is forgotten, and both addresses still work', async (t) => {
  const app = await startTestApp(t, { settings: { UPLOAD_IDLE_MS: '300' } })
  const student = await app.student()
  const where = await place(app, student)
  const address = await presign(app, student, where, 'tax_certificate', files.jpeg())
  const { pathname, search, port } = new URL(address.upload_url)
  const head = `PUT ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-type: image/jpeg\r\ncontent-length: 5000\r\n\r\n`
  const slow = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${head}abc`))
    socket.on('data', (data) => (text += data.toString()))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
  assert.match(slow, /^HTTP\/1\.1 408 /)
  assert.match(slow, /upload_too_slow/)

  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`${head}abc`, () => {
        socket.destroy()
        resolve()
      })
    })
  })
  // Until the service has noticed both, the address is in use.
  await eventually('the address accepts the file', async () => (await send(address, jpegDocument())).status === 200)
  assert.equal(await leftOvers(app), 0)
})

test('a refused file does not break the next request on its connection', async (t) => {
  const app = await sharedApp()
  const student = await app.student()
  const address = await presign(app, student, await place(app, student), 'tax_certificate', files.jpeg())
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const put = (url: string, pauseMs: number) =>
    new Promise<[status: number | undefined, isReused: boolean]>((resolve, reject) => {
      const bytes = jpegDocument()
      const headers = { ...address.headers, 'content-length': bytes.length }
      const request = httpRequest(url, { method: 'PUT', headers, agent }, (response) => {
        response.resume().on('end', () => resolve([response.statusCode, request.reusedSocket]))
      })
      request.on('error', reject)
      request.write(bytes.subarray(0, 100))
      setTimeout(() => request.end(bytes.subarray(100)), pauseMs)
    })
  assert.deepEqual(await put(`${address.upload_url}x`, 0), [403, false])
  assert.deepEqual(await put(address.upload_url, 1_500), [200, true])
})

test('malware is refused; a scanner that is down, hangs or sends nonsense changes nothing, and the same address works later', async (t) => {
  const clamd = await startClamd(t)
  const app = await startTestApp(t, { settings: { CLAMD_URL: clamd.url } })
  const student = await app.student()
  const where = await place(app, student)
  const infected = { ...files.jpeg(), bytes: Buffer.concat([jpegDocument(), Buffer.from(eicar)]) }
  const bad = await presign(app, student, where, 'tax_certificate', infected)
  assert.equal(codeOf(await send(bad, infected.bytes)), '400 document_infected')
  assert.deepEqual(await statusOf(app, student, where), ['missing', 'refused', 'missing', 'missing'])

  const address = await presign(app, student, where, 'business_license', files.jpeg())
  for (const mood of ['closing', 'odd', 'too_large'] as const) {
    clamd.mood = mood
    const answer = await send(address, jpegDocument())
    assert.equal(codeOf(answer), '503 scanner_unavailable', mood)
    assert.ok(Number(answer.headers.get('retry-after')) > 0)
  }
  assert.deepEqual(await statusOf(app, student, where), ['missing', 'refused', 'missing', 'missing'])
  clamd.mood = 'working'
  assert.equal((await send(address, jpegDocument())).status, 200)
  assert.ok(clamd.scannedBytes.includes(jpegDocument().length))
})

test('a store that is down answers 503, on upload, submission and view, and leaves the business unchanged', async () => {
  const app = await sharedApp()
  const { student, business, urls } = await submittedBusiness(app)
  const admin = await app.admin()
  const where = `/v1/businesses/${business.id}`
  const folder = join(app.config.dataDir, 'documents')
  const before = (await app.call('GET', where, { token: student.token })).body.data
  const address = await presign(app, student, where, 'tax_certificate', files.pdf())
  const view = await app.call('POST', `/v1/admin${where.slice(3)}/documents/tax_certificate/view`, { token: admin.token })
  const look = () => fetch(view.body.data.view_url, { headers: { authorization: `Bearer ${admin.token}` } })

  await rename(folder, `${folder}-away`)
  assert.equal(codeOf(await send(address, files.pdf().bytes)), '503 storage_unavailable')
  assert.equal(codeOf(await submitBusiness(app, student, business.id, urls)), '503 storage_unavailable')
  const blind = await look()
  const { error } = (await blind.json()) as { error: { code: string } }
  assert.deepEqual([blind.status, error.code], [503, 'storage_unavailable'])
  // The folder of a mount that is lost is there and empty.
  await mkdir(folder)
  assert.equal(codeOf(await submitBusiness(app, student, business.id, urls)), '503 storage_unavailable')
  assert.equal((await look()).status, 503)
  await rm(folder, { recursive: true })
  assert.deepEqual((await app.call('GET', where, { token: student.token })).body.data, before)

  await rename(`${folder}-away`, folder)
  assert.equal((await look()).status, 200)
  assert.equal((await send(address, files.pdf().bytes)).status, 200)
  assert.equal((await submitBusiness(app, student, business.id, urls)).status, 200)
})

test('a document opens only for the reviewer who requested it, once, within a minute', async (t) => {
  const app = await startTestApp(t)
  const { student, business, urls } = await submittedBusiness(app)
  const [admin, other] = [await app.admin(), await app.admin()]
  const at = `/v1/admin/businesses/${business.id}/documents/tax_certificate/view`
  const ask = async (token = admin.token) => (await app.call('POST', at, { token })).body.data.view_url as string
  const open = async (url: string, token?: string) => {
    const response = await fetch(url, { ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }) })
    const isJson = response.headers.get('content-type')?.includes('json')
    const body = (isJson ? await response.json() : {}) as { error?: { code: string } }
    return `${response.status} ${body.error?.code ?? ''}`.trim()
  }
  const url = await ask()
  assert.equal(await open(urls['tax_certificate_url']!), '403 signature_required')
  assert.equal(await open(urls['tax_certificate_url']!, admin.token), '403 signature_required')
  assert.equal(await open(`${app.config.urls.storage}/business-docs/`, admin.token), '403 signature_required')
  assert.equal(await open(`${app.config.urls.storage}/business-docs/${business.id}?list-type=2`), '403 signature_required')
  assert.equal(await open(url), '401 authentication_required')
  assert.equal(await open(url, student.token), '403 not_your_view')
  assert.equal(await open(url, other.token), '403 not_your_view')
  assert.equal(await open(url.replace('tax_certificate', 'business_license'), admin.token), '403 signature_invalid')
  assert.equal(await open(url.replace(/view=[^&]+/, 'view=x'), admin.token), '403 signature_invalid')
  const head = await fetch(url, { method: 'HEAD', headers: { authorization: `Bearer ${admin.token}` } })
  assert.equal(head.status, 403)
  assert.equal(await open(url, admin.token), '200')
  assert.equal(await open(url, admin.token), '403 address_used')

  const late = await ask()
  await app.owner.pool.query(`update document_views set expires_at = clock_now() - interval '1 second' where opened_at is null`)
  assert.equal(await open(late, admin.token), '403 address_used')
  const kept = await ask()
  await app.call('POST', '/v1/auth/logout', { token: admin.token })
  assert.equal(await open(kept, admin.token), '401 session_inactive')

  const { rows } = await app.owner.pool.query(
    `select action, actor from audit_log where action like 'document.%' and object = (select object from audit_log where action = 'document.viewed') order by seq`,
  )
  assert.deepEqual(
    rows.map(({ action, actor }) => [action, actor]),
    [
      ['document.view_granted', admin.userId],
      ['document.viewed', admin.userId],
      ['document.view_granted', admin.userId],
      ['document.view_granted', admin.userId],
    ],
  )
})

test('reviewers see only pixels: no location of the photo, no trailing data, no metadata', async () => {
  const app = await sharedApp()
  const admin = await app.admin()
  const student = await app.student()
  const { id } = await registerBusiness(app, student)
  const urls = await uploadFour(app, student, id)
  const where = `/v1/businesses/${id}`
  for (const [purpose, bytes] of [
    ['tax_certificate', await jpegWithPlace()],
    ['business_license', jpegWithScript()],
  ] as const) {
    const address = await presign(app, student, where, purpose, files.jpeg())
    assert.equal((await send(address, bytes)).status, 200)
    urls[`${purpose}_url`] = address.document_url
  }
  assert.equal((await submitBusiness(app, student, id, urls)).status, 200)
  for (const purpose of ['tax_certificate', 'business_license', 'proof_of_address']) {
    const view = await app.call('POST', `/v1/admin${where.slice(3)}/documents/${purpose}/view`, { token: admin.token })
    const response = await fetch(view.body.data.view_url, { headers: { authorization: `Bearer ${admin.token}` } })
    assert.equal(response.headers.get('content-disposition'), `attachment; filename="${purpose}.jpg"`)
    const copy = Buffer.from(await response.arrayBuffer())
    const { exif, format } = await sharp(copy).metadata()
    assert.deepEqual([exif, format], [undefined, 'jpeg'])
    assert.ok(!copy.includes('<?php'))
  }
})

test('a file in ten thousand pieces takes the memory of one piece', async (t) => {
  const { app, api } = await startFleet(t)
  const member = await api()
  const student = await app.student()
  const where = await place(app, student)
  const send1 = async (pieces: number) => {
    const address = await presign(app, student, where, 'tax_certificate', files.jpeg())
    const at = address.upload_url.replace(app.config.urls.storage, member.storageUrl)
    const request = httpRequest(at, { method: 'PUT', headers: address.headers })
    const answered = new Promise<number>((resolve, reject) => {
      request.on('response', (response) => resolve(response.resume().statusCode!)).on('error', reject)
    })
    request.setNoDelay(true)
    const piece = Buffer.alloc(900, 0xff)
    for (let count = 0; count < pieces; count += 1) {
      if (!request.write(piece)) await new Promise((resolve) => request.once('drain', resolve))
    }
    return { request, answered }
  }
  const first = await send1(100)
  first.request.end()
  await first.answered
  const before = await member.liveMb()
  const long = await send1(10_000)
  const folder = join(app.config.dataDir, 'uploads')
  await eventually('all parts are logged', async () => {
    const [name] = await readdir(folder)
    return name !== undefined && (await stat(join(folder, name))).size === 9_000_000
  })
  const during = await member.liveMb()
  long.request.end()
  assert.equal(await long.answered, 400)
  t.diagnostic(`live memory before: ${before.toFixed(1)} MB, during 9 MB in 10,000 pieces: ${during.toFixed(1)} MB`)
  assert.ok(during - before < 4, `${before} MB grew to ${during} MB`)
})

test('one owner cannot take all the places, and a slow trickle is cut', async (t) => {
  const app = await startTestApp(t, { settings: { UPLOAD_IDLE_MS: '1500' } })
  const [greedy, student] = [await app.student(), await app.student()]
  const [whereGreedy, where] = [await place(app, greedy), await place(app, student)]
  const addresses = await Promise.all(
    Array.from({ length: 5 }, () => presign(app, greedy, whereGreedy, 'tax_certificate', files.jpeg())),
  )
  const held = await Promise.all(
    addresses.map(async (address) => {
      const { pathname, search, port } = new URL(address.upload_url)
      return new Promise<string>((resolve) => {
        let text = ''
        const socket = connect(Number(port), '127.0.0.1', () => {
          socket.write(
            `PUT ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-type: image/jpeg\r\ncontent-length: 5000\r\n\r\nabc`,
          )
          // Never idle, but far too slow.
          const drip = setInterval(() => socket.write('d'), 100)
          socket.on('close', () => clearInterval(drip))
        })
        socket.on('data', (data) => (text += data.toString()))
        socket.on('close', () => resolve(text))
        // The connection of a client that continues to send is cut; the answer arrives before that.
        socket.on('error', () => resolve(text))
      })
    }),
  )
  const statuses = held.map((text) => text.split(' ')[1])
  assert.deepEqual(statuses.filter((status) => status === '408').length, 4)
  assert.ok(statuses.includes('503'))
  const address = await presign(app, student, where, 'tax_certificate', files.jpeg())
  assert.equal((await send(address, jpegDocument())).status, 200)
})

test('a stored file whose document was never created is removed from the store', async (t) => {
  const app = await startTestApp(t, {
    // The store fails between the file and its copy.
    wrap: (deps) => ({
      ...deps,
      documentStore: {
        ...deps.documentStore,
        async put(key, file, facts) {
          if (key.endsWith('.review')) throw new StoreUnavailable('It has died.')
          await deps.documentStore.put(key, file, facts)
        },
      },
    }),
  })
  const student = await app.student()
  const where = await place(app, student)
  const address = await presign(app, student, where, 'tax_certificate', files.jpeg())
  assert.equal(codeOf(await send(address, jpegDocument())), '503 storage_unavailable')
  const stored = async () =>
    (await readdir(join(app.config.dataDir, 'documents'), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && entry.name !== folderIdFile,
    )
  assert.equal((await stored()).length, 1)
  // A process that was killed while it stored the copy leaves this beside it.
  const { parentPath, name } = (await stored())[0]!
  await writeFile(join(parentPath, `${name}.review.0190.part`), 'an identity paper')
  assert.equal(await sweepObjects(app.deps, 10), 0)
  await app.owner.pool.query(`update unfinished_objects set since = since - interval '1 day'`)
  assert.equal(await sweepObjects(app.deps, 10), 2)
  assert.equal((await stored()).length, 0)
  assert.equal(await leftOvers(app), 0)
})

test('a process killed in the middle of an upload leaves the business unchanged, and no file stays forever', async (t) => {
  const { app, api } = await startFleet(t)
  const member = await api()
  const student = await app.student()
  const where = await place(app, student)
  const address = await presign(app, student, where, 'tax_certificate', files.jpeg())
  const { pathname, search } = new URL(address.upload_url)
  const socket = connect(Number(new URL(member.storageUrl).port), '127.0.0.1', () => {
    socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nhost: x\r\ncontent-type: image/jpeg\r\ncontent-length: 5000\r\n\r\nabc`)
  })
  socket.on('error', () => undefined)
  const folder = join(app.config.dataDir, 'uploads')
  const [name] = await eventually('the file is begun', async () => {
    const names = await readdir(folder).catch(() => [])
    return names.length > 0 && names
  })
  await member.kill()

  assert.deepEqual(await statusOf(app, student, where), ['missing', 'missing', 'missing', 'missing'])
  // The address was in use when its process died; a new one is available at once.
  assert.equal(codeOf(await send(address, jpegDocument())), '403 address_used')
  const next = await presign(app, student, where, 'tax_certificate', files.jpeg())
  assert.equal((await send(next, jpegDocument())).status, 200)

  const longAgo = Date.now() / 1000 - 7200
  await utimes(join(folder, name!), longAgo, longAgo)
  await api()
  await eventually('the file is removed', async () => (await leftOvers(app)) === 0)
})

test('our own pages may send files from a browser, pages of other sites may not', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const file = files.jpeg()
  const address = await presign(app, student, '/v1/kyc', 'selfie', file)
  const ask = async (origin: string): Promise<string | null> => {
    const headers = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' }
    const { headers: answered } = await fetch(address.upload_url, { method: 'OPTIONS', headers })
    return answered.get('access-control-allow-origin')
  }
  const own = new URL(app.config.urls.api).origin
  assert.equal(await ask(own), own)
  assert.notEqual(await ask('https://elsewhere.example'), 'https://elsewhere.example')
  const sent = await send(address, file.bytes, { headers: { ...address.headers, origin: own } })
  assert.deepEqual([sent.status, sent.headers.get('access-control-allow-origin')], [200, own])
})
