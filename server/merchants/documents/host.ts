/**
 * The document storage host: files come in and copies go out by signed addresses only. An unsigned request is refused before
 * anything is read, including its body.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { originOf, requireAdmin, requireUser, type AuthenticateDeps } from '../../accounts/identity/authenticate.ts'
import type { SignedIn } from '../../accounts/identity/session.ts'
import { mayReach } from '../../accounts/members/access.ts'
import type { Http } from '../../platform/http/http.ts'
import { fromWire } from '../../platform/ids.ts'
import { startLoop } from '../../platform/process/loop.ts'
import type { Meters } from '../../platform/process/meters.ts'
import { Refusal } from '../../platform/refusal.ts'
import { isSignedBy } from './address.ts'
import { pathOf, type Document } from './document.ts'
import { findDocuments } from './document.sql.ts'
import { openView, type ViewDeps } from './open-view.ts'
import { receiveUpload, tooLarge, type ReceiveDeps } from './receive-upload.ts'
import { sweepFiles } from './sweep-uploads.ts'

export type DocumentHostDeps = AuthenticateDeps & ReceiveDeps & ViewDeps & { meters: Meters }

/** After a refusal, the client has this long to read the answer before a connection with an unread body is cut. */
const cutAfterMs = 1_000
const sweepEveryMs = 900_000
/** While the process drains, uploads in flight have this long to finish. */
const finishWithinMs = 5_000

function overloaded(message: string): Refusal {
  return new Refusal(503, 'overloaded', message, { retryAfterSeconds: 5 })
}

/** Said at once: no one is verified with such a file. */
const unreadableWarning = {
  code: 'document_unreadable',
  message: 'The file was stored but cannot be opened, so you cannot be verified with it. Upload another one.',
  message_sw: 'Faili limehifadhiwa lakini halifunguki, hivyo huwezi kuthibitishwa kwa hilo. Pakia jingine.',
}

const documentPath = /^\/(?:business-docs|kyc-docs)\/[a-z]{3}_[0-9a-z]{26}\/[a-z_]+\/(doc_[0-9a-z]{26})\.(?:jpg|png|pdf)$/

/** The owner of the documents under a path, as it is signed. */
function ownerIn(path: string): string {
  return path.split('/')[2]!
}

function notSigned(): Refusal {
  return new Refusal(403, 'signature_required', 'Documents can be opened only with a signed URL. Request one first.')
}

type Address = { path: string; documentId: string; expires: number; view: string | null; signature: string }

/** The parts of an address; refuses with 403 any address that does not have the form that we issue. */
function readAddress(request: FastifyRequest): Address {
  const [path = '', query = '', ...rest] = request.raw.url!.split('?')
  const documentId = fromWire('doc', documentPath.exec(path)?.[1] ?? '')
  const parameters = new URLSearchParams(query)
  const expires = parameters.get('expires') ?? ''
  const signature = parameters.get('signature')
  if (documentId === undefined || rest.length > 0 || signature === null || !/^\d{1,12}$/.test(expires)) throw notSigned()
  const names = [...parameters.keys()].toSorted().join(' ')
  if (names !== 'expires signature' && names !== 'expires signature view') throw refuseChanged()
  return { path, documentId, expires: Number(expires), view: parameters.get('view'), signature }
}

function refuseChanged(): Refusal {
  return new Refusal(
    403,
    'signature_invalid',
    'This URL was changed, or was issued for a different request. Use it unchanged, or request a new one.',
  )
}

export async function documentHost(http: Http, deps: DocumentHostDeps): Promise<void> {
  const { keys, documents } = deps.config
  const requireReviewer = requireAdmin(deps)
  const requireSignedIn = requireUser(deps)
  const uploadsByOwner = new Map<string, number>()
  let uploads = 0
  const leaving = new AbortController()
  const sweep = startLoop({
    name: 'documents/sweep-files',
    pauseMs: sweepEveryMs,
    log: deps.log,
    meters: deps.meters,
    async round() {
      await sweepFiles(deps)
      return false
    },
  })
  http.addHook('preClose', async () => {
    // An almost complete upload may still arrive; a slow one is aborted and its address released.
    setTimeout(() => leaving.abort(overloaded('The service is being restarted. Send the file again.')), finishWithinMs).unref()
    await sweep.stop()
  })

  /** Runs `work` unless all owners together, or this owner, have too many uploads in flight. */
  async function withPlace<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const ofOwner = uploadsByOwner.get(owner) ?? 0
    if (uploads >= documents.uploadsAtOnce || ofOwner >= documents.uploadsAtOncePerOwner) {
      throw overloaded('Too many uploads are in progress. Wait until they have finished.')
    }
    uploads += 1
    uploadsByOwner.set(owner, ofOwner + 1)
    try {
      return await work()
    } finally {
      uploads -= 1
      const left = uploadsByOwner.get(owner)! - 1
      if (left === 0) uploadsByOwner.delete(owner)
      else uploadsByOwner.set(owner, left)
    }
  }

  http.decorateRequest('signedIn', null as unknown as SignedIn)

  http.addHook('onResponse', async (request) => {
    // A refused body is not read to its end: its sender gets the answer, and then the connection is cut. A short body has already
    // arrived by then, and the connection may carry another request.
    const cut = (): void => {
      if (!request.raw.complete) request.raw.socket.destroy()
    }
    if (!request.raw.complete) setTimeout(cut, cutAfterMs).unref()
  })

  await http.register(async (files) => {
    // Bodies here are files: they are passed on as they arrive.
    files.removeAllContentTypeParsers()
    files.addContentTypeParser('*', (_request, _body, done) => done(null))

    files.put('/*', { schema: { hide: true } }, async (request, reply) => {
      const address = readAddress(request)
      const contentType = (request.headers['content-type'] ?? '').toLowerCase()
      const { path, expires, signature, documentId } = address
      const signed = { use: 'upload', path, expires, contentType, maxBytes: documents.maxBytes } as const
      if (address.view !== null || !isSignedBy(keys.documentAddress, signed, signature)) throw refuseChanged()
      const length = request.headers['content-length']
      if (length !== undefined && Number(length) > documents.maxBytes) throw tooLarge(documents.maxBytes)
      const outcome = await withPlace(ownerIn(path), () => receiveUpload(deps, documentId, request.raw, leaving.signal))
      if (outcome.kind === 'refused') throw new Refusal(400, outcome.code, outcome.reason)
      const { sizeBytes, unreadable } = outcome
      return reply.send({
        data: {
          document_url: deps.config.urls.storage + path,
          status: 'uploaded',
          size_bytes: sizeBytes,
          unreadable,
          warnings: unreadable ? [unreadableWarning] : [],
        },
      })
    })
  })

  async function sendCopy(request: FastifyRequest, reply: FastifyReply, document: Document, viewId: string): Promise<unknown> {
    const copy = await openView(deps, document, viewId, request.signedIn, originOf(request))
    const type = document.reviewContentType!
    return reply
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('content-disposition', `attachment; filename="${document.purpose}.${type === 'image/png' ? 'png' : 'jpg'}"`)
      .type(type)
      .send(copy)
  }

  http.get('/*', { exposeHeadRoute: false, schema: { hide: true } }, async (request, reply) => {
    const { path, documentId, expires, view, signature } = readAddress(request)
    if (view === null || !isSignedBy(keys.documentAddress, { use: 'view', path, expires, viewId: view }, signature))
      throw refuseChanged()
    await requireSignedIn(request)
    const [document] = await findDocuments(deps.db, [documentId])
    const isOwn = document && (await mayReach(deps.db, request.signedIn.userId, document.merchantId, 'business.write'))
    if (!isOwn) await requireReviewer(request)
    if (!document || pathOf(document) !== path) throw notSigned()
    return sendCopy(request, reply, document, view)
  })

  http.route({
    method: ['HEAD', 'POST', 'PATCH', 'DELETE'],
    url: '/*',
    schema: { hide: true },
    onRequest() {
      throw notSigned()
    },
    handler() {
      throw notSigned()
    },
  })
}
