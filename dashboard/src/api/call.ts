/** The only way in which screens call the API: typed by its description, authenticated, with retries where they are needed. */
import { ApiError, errorOf, fetchOrFail, jsonOf } from './api-error.ts'
import type { Operations } from './operations.ts'
import { accessToken, endSession } from './session.ts'

/** An operation, named as in the API reference: `GET /v1/me`. */
export type OperationKey = keyof Operations

type Part<Key extends OperationKey, Name extends string> = Operations[Key] extends Record<Name, infer Value> ? Value : undefined

/** A part of a request can be left out if all of its fields are optional. */
type Given<Name extends string, Value> = undefined extends Value
  ? { [Key in Name]?: undefined }
  : Record<never, never> extends Value
    ? { [Key in Name]?: Value }
    : { [Key in Name]: Value }

export type Input<Key extends OperationKey> = Given<'params', Part<Key, 'params'>> &
  Given<'query', Part<Key, 'query'>> &
  Given<'body', Part<Key, 'body'>> & {
    /** Two requests with one key are done once. Create it when the form opens, not when the button is pressed. */
    idempotencyKey?: string
    signal?: AbortSignal
  }

export type Answer<Key extends OperationKey> = Operations[Key] extends { answer: infer Value } ? Value : never

/** Verifies the person again; true after success. */
type StepUp = () => Promise<boolean>

let askStepUp: StepUp = async () => false

/** The dialog of the running app. */
export function answerStepUpsWith(ask: StepUp): void {
  askStepUp = ask
}

type LooseInput = {
  params?: Record<string, string>
  query?: Record<string, string | number | boolean | undefined>
  body?: unknown
  idempotencyKey?: string
  signal?: AbortSignal
  /** The media type of a file; default JSON. */
  accept?: string
  /** Sent as it is, instead of a body. */
  file?: { content: Blob; type: string }
  /** Sends the request; default `fetchOrFail`. */
  send?: Send
}

/** Throws an `ApiError` if there is no answer. */
export type Send = (path: string, init: RequestInit) => Promise<Response>

function addressOf(path: string, { params = {}, query = {} }: LooseInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(name, String(value))
  const text = search.toString()
  return text === '' ? filled : `${filled}?${text}`
}

async function ask(key: OperationKey, input: LooseInput, token: string | undefined): Promise<Response> {
  const [method, path] = key.split(' ') as [string, string]
  const headers: Record<string, string> = {}
  if (token !== undefined) headers['authorization'] = `Bearer ${token}`
  if (input.idempotencyKey !== undefined) headers['idempotency-key'] = input.idempotencyKey
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  if (input.file !== undefined) headers['content-type'] = input.file.type
  if (input.accept !== undefined) headers['accept'] = input.accept
  const { send = fetchOrFail } = input
  return send(addressOf(path, input), {
    method,
    headers,
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    ...(input.file !== undefined && { body: input.file.content }),
    ...(input.signal && { signal: input.signal }),
  })
}

/** Sends a request: with a new token if the last one was refused, and again after a step-up. */
async function askUntilAnswered(key: OperationKey, input: LooseInput): Promise<Response> {
  let response = await ask(key, input, await accessToken())
  for (let hasRenewed = false, hasSteppedUp = false; !response.ok;) {
    const error = await errorOf(response)
    if (error.code === 'invalid_token' && !hasRenewed) hasRenewed = true
    else if (error.code === 'step_up_required' && !hasSteppedUp && (await askStepUp())) hasSteppedUp = true
    else {
      if (error.code === 'session_inactive' || error.code === 'authentication_required') endSession()
      throw error
    }
    response = await ask(key, input, await accessToken(error.code === 'invalid_token'))
  }
  return response
}

/** Throws an `ApiError`. */
export async function call<Key extends OperationKey>(key: Key, input: Input<Key>): Promise<Answer<Key>> {
  const response = await askUntilAnswered(key, input as LooseInput)
  return (await jsonOf(response, input.signal)) as Answer<Key>
}

/** The same for a file. If the operation can also answer with JSON, name the media type: `text/csv`. */
export async function download<Key extends OperationKey>(
  key: Key,
  input: Input<Key> & { accept?: string },
): Promise<{ file: Blob; name: string }> {
  const response = await askUntilAnswered(key, input as LooseInput)
  const disposition = response.headers.get('content-disposition') ?? ''
  return { file: await response.blob(), name: /filename="([^"]+)"/.exec(disposition)?.[1] ?? 'malipo' }
}

/** The same with a file as the body. */
export async function upload<Key extends OperationKey>(
  key: Key,
  input: Omit<Input<Key>, 'body'> & { file: { content: Blob; type: string }; send: Send },
): Promise<Answer<Key>> {
  const response = await askUntilAnswered(key, input as LooseInput)
  return (await jsonOf(response, input.signal)) as Answer<Key>
}

export function isRefusal(error: unknown, ...codes: string[]): error is ApiError {
  return error instanceof ApiError && codes.includes(error.code)
}

/** Fetches a document by the address from the API: valid once, for this session. Nothing is stored. */
export async function fetchDocument(address: string): Promise<Blob> {
  const token = await accessToken()
  const response = await fetchOrFail(address, { cache: 'no-store', headers: { authorization: `Bearer ${token ?? ''}` } })
  if (!response.ok) throw await errorOf(response)
  return response.blob()
}
