/**
 * The current uploads, one for each document. They continue while the person is on another screen, and wait while the session has ended
 * or the connection is lost. At most two run at once. Invariant: the file chosen last is sent.
 */
import { useSyncExternalStore } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call, isRefusal } from '../../api/call.ts'
import type { Business, PersonalKyc, UploadAddress } from '../../api/operations.ts'
import { sendFile } from '../../api/send-file.ts'
import { whenSignedOut } from '../../api/kept-drafts.ts'
import { kindOf, sentName, type DocumentType } from './check-file.ts'

export type BusinessPurpose = Business['documents'][number]['purpose']
export type PersonalPurpose = PersonalKyc['documents'][number]['purpose']
export type Purpose = BusinessPurpose | PersonalPurpose

/** The subject of the documents: a person by their id, or a business. */
export type Subject = { kind: 'person' | 'business'; id: string }

export type FileProblem = 'empty' | 'type' | 'unreadable' | 'heic' | 'size' | 'several'

export type UploadState =
  | { kind: 'waiting' }
  | { kind: 'sending'; share: number }
  /** The upload is complete and the server checks the file. */
  | { kind: 'checking' }
  | { kind: 'done'; isUnreadable: boolean; documentUrl: string }
  /** Nothing was sent: another file is needed. */
  | { kind: 'unfit'; problem: FileProblem; mostBytes?: number }
  | { kind: 'failed'; error: unknown }

export type Upload = {
  name: string
  size: number
  state: UploadState
  type?: DocumentType
  /** The file itself, for the preview, in the memory of this tab. */
  preview?: string
  /** The file on the device, to detect that one was chosen twice. */
  print: string
}

type Entry = {
  upload: Upload
  file: File | undefined
  leave: AbortController
  onDone: () => void
  subject: Subject
  purpose: Purpose
}

const entries = new Map<string, Entry>()
const listeners = new Set<() => void>()
const atOnce = 2
let sending = 0
const queue: (() => void)[] = []

const keyOf = (subject: Subject, purpose: Purpose): string => `${subject.id} ${purpose}`

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The entry, if it is still the last chosen one. */
function update(key: string, entry: Entry, changes: Partial<Upload>): void {
  if (entries.get(key) !== entry) return
  entry.upload = { ...entry.upload, ...changes }
  notify()
}

function drop(key: string): void {
  const entry = entries.get(key)
  if (!entry) return
  entry.leave.abort()
  if (entry.upload.preview) URL.revokeObjectURL(entry.upload.preview)
  entries.delete(key)
}

function presign(
  { kind, id }: Subject,
  purpose: Purpose,
  { name, type }: { name: string; type: DocumentType },
  signal: AbortSignal,
): Promise<{ data: UploadAddress }> {
  const wanted = { filename: sentName(name, type), content_type: type }
  return kind === 'person'
    ? call('POST /v1/kyc/documents/presign', { body: { ...wanted, purpose: purpose as PersonalPurpose }, signal })
    : call('POST /v1/businesses/{business_id}/documents/presign', {
        params: { business_id: id },
        body: { ...wanted, purpose: purpose as BusinessPurpose },
        signal,
      })
}

/** Waits for a free slot; fails when `signal` is aborted. */
async function waitForTurn(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (sending < atOnce) {
    sending += 1
    return
  }
  await new Promise<void>((resolve, reject) => {
    queue.push(resolve)
    signal.addEventListener('abort', () => {
      const place = queue.indexOf(resolve)
      if (place >= 0) queue.splice(place, 1)
      reject(signal.reason as Error)
    })
  })
}

/** Gives the slot to the upload that has waited longest. */
function givePlace(): void {
  const next = queue.shift()
  if (next) next()
  else sending -= 1
}

async function send(
  { upload: { name, type }, subject, purpose, leave: { signal }, file }: Entry,
  setState: (state: UploadState) => void,
): Promise<UploadState> {
  setState({ kind: 'sending', share: 0 })
  const { data: address } = await presign(subject, purpose, { name, type: type! }, signal)
  if (file!.size > address.max_bytes) return { kind: 'unfit', problem: 'size', mostBytes: address.max_bytes }
  // Held in memory: a file from a camera or a cloud may disappear during the upload.
  const bytes = await file!.arrayBuffer().catch(() => undefined)
  if (!bytes) return { kind: 'unfit', problem: 'unreadable' }
  const { unreadable } = await sendFile(address, new Blob([bytes], { type: type! }), {
    signal,
    onProgress: (share) => setState(share < 1 ? { kind: 'sending', share } : { kind: 'checking' }),
  })
  return { kind: 'done', isUnreadable: unreadable, documentUrl: address.document_url }
}

async function run(key: string, entry: Entry): Promise<void> {
  const { signal } = entry.leave
  const setState = (state: UploadState): void => update(key, entry, { state })
  setState({ kind: 'waiting' })
  try {
    await waitForTurn(signal)
    await send(entry, setState).then(setState).finally(givePlace)
  } catch (error) {
    if (signal.aborted) return
    setState({ kind: 'failed', error })
  }
  // The API also records a file that it refused for its content.
  entry.onDone()
}

/** Replaces the earlier choice; `onDone` runs when the API has new data to read. */
export async function choose(subject: Subject, purpose: Purpose, files: readonly File[], onDone: () => void): Promise<void> {
  const [file] = files
  if (!file) return
  const key = keyOf(subject, purpose)
  drop(key)
  const entry: Entry = {
    upload: {
      name: file.name,
      size: file.size,
      state: files.length > 1 ? { kind: 'unfit', problem: 'several' } : { kind: 'waiting' },
      print: `${file.name} ${file.size} ${file.lastModified}`,
    },
    file: undefined,
    leave: new AbortController(),
    onDone,
    subject,
    purpose,
  }
  entries.set(key, entry)
  notify()
  if (files.length > 1) return
  const kind = await kindOf(file)
  if (kind === 'empty' || kind === 'unknown' || kind === 'unreadable' || kind === 'heic') {
    update(key, entry, { state: { kind: 'unfit', problem: kind === 'unknown' ? 'type' : kind } })
    return
  }
  if (entry.leave.signal.aborted) return
  entry.file = file
  // The type is set by us, not by the device: only pictures and PDFs are ever opened from it.
  update(key, entry, { type: kind, preview: URL.createObjectURL(new Blob([file], { type: kind })) })
  await run(key, entry)
}

export function tryAgain(subject: Subject, purpose: Purpose): void {
  const key = keyOf(subject, purpose)
  const entry = entries.get(key)
  if (entry?.upload.state.kind === 'failed') void run(key, entry)
}

export function cancel(subject: Subject, purpose: Purpose): void {
  drop(keyOf(subject, purpose))
  notify()
}

/** Whether another try can help, as after a lost connection; a refused file is refused again. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true
  return error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500 || error.code === 'upload_cut'
}

const waitsForPerson = (error: unknown): boolean =>
  isRefusal(error, 'unreachable', 'session_inactive', 'authentication_required', 'invalid_token')

/** Continues the uploads that only the connection or the session has stopped. */
export function resume(subject: Subject): void {
  for (const [key, entry] of entries) {
    const { state } = entry.upload
    if (entry.subject.id === subject.id && state.kind === 'failed' && waitsForPerson(state.error)) void run(key, entry)
  }
}

export function useUpload(subject: Subject, purpose: Purpose): Upload | undefined {
  return useSyncExternalStore(subscribe, () => entries.get(keyOf(subject, purpose))?.upload)
}

const isUploading = ({ upload: { state } }: Entry): boolean =>
  state.kind === 'waiting' || state.kind === 'sending' || state.kind === 'checking'

export function useUploadCount(subject: Subject): number {
  return useSyncExternalStore(
    subscribe,
    () => [...entries.values()].filter((entry) => entry.subject.id === subject.id && isUploading(entry)).length,
  )
}

/** The other document with the same file: an easy mistake with many pictures on a phone. */
export function useTwin(subject: Subject, purpose: Purpose): Purpose | undefined {
  return useSyncExternalStore(subscribe, () => {
    const own = entries.get(keyOf(subject, purpose))
    if (!own) return undefined
    const twin = [...entries.values()].find(
      (other) => other !== own && other.subject.id === subject.id && other.upload.print === own.upload.print,
    )
    return twin?.purpose
  })
}

addEventListener('beforeunload', (event) => {
  if ([...entries.values()].some(isUploading)) event.preventDefault()
})

whenSignedOut(() => {
  for (const key of entries.keys()) drop(key)
  notify()
})
