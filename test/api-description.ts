/**
 * Checks every answer of a test against the description of the API: an undescribed status, field or type fails the test. Used
 * operations are recorded, so that a whole run can list the operations that no test has called.
 */
import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

/** The variable that names the folder where a run collects the notes of its processes. */
export const notesVariable = 'MALIPO_TEST_NOTES'

/** The file with the operations that the description has, and those that tests have called. */
export const exercisedFile = 'exercised'

/**
 * The description, from the file of this run where one is: the processes of a run serve the same one, and making it takes most of a
 * second. The first process that needs it writes the file.
 */
export async function readSharedDocument(read: () => Promise<Document>): Promise<Document> {
  const folder = process.env[notesVariable]
  if (folder === undefined) return read()
  const file = join(folder, 'description.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Document
  const document = await read()
  const written = `${file}-${process.pid}`
  writeFileSync(written, JSON.stringify(document))
  renameSync(written, file)
  return document
}

type Response = { $ref?: string; content?: Record<string, { examples?: Record<string, unknown> }> }
type Operation = { operationId: string; responses: Record<string, Response>; servers?: unknown }

type Described = { id: string; method: string; path: RegExp; place: string; operation: Operation }

export type Description = {
  /** Checks an answer; `body` is the parsed body, undefined if it is not JSON. */
  check(method: string, path: string, status: number, body: unknown): void
}

function note(line: string): void {
  const folder = process.env[notesVariable]
  if (folder !== undefined) appendFileSync(join(folder, exercisedFile), `${line}\n`)
}

const escaped = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1')

type Schema = { properties?: Record<string, Schema>; additionalProperties?: unknown } & Record<string, unknown>

/** Refuses fields that are not described. The description itself leaves answers open, because clients must accept new fields. */
function close(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  const { properties } = schema as Schema
  if (properties && !Array.isArray(schema)) (schema as Schema).additionalProperties ??= false
  for (const part of Object.values(schema)) close(part)
}

type Document = {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, unknown>; responses?: Record<string, Response> }
}

/** Puts the answers that several operations share in the place of the references to them. */
function resolveResponses({ paths, components }: Document): void {
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, { $ref }] of Object.entries(responses)) {
      if ($ref !== undefined) responses[status] = components!.responses![$ref.split('/').at(-1)!]!
    }
  }
}

export function readDescription(described: Document): Description {
  const document = structuredClone(described)
  resolveResponses(document)
  close(document.components?.schemas)
  for (const { responses } of Object.values(document.paths).flatMap((methods) => Object.values(methods))) close(responses)
  return readClosed(document)
}

function readClosed(document: Document): Description {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema({ ...document, $id: 'api' })
  const validators = new Map<string, ValidateFunction>()
  const described: Described[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    // The document host has its own address.
    Object.entries(methods)
      .filter(([, { servers }]) => !servers)
      .map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path: new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
        place: `api#/paths/${escaped(path)}/${method}/responses`,
        operation,
      })),
  )
  // A literal path comes before one with a parameter in that position.
  described.sort((one, other) => Number(one.path.source.includes('[^/]+')) - Number(other.path.source.includes('[^/]+')))
  for (const { id } of described) note(`described ${id}`)

  return {
    check(method, path, status, body) {
      const route = path.split('?')[0]!
      const found = described.find((one) => one.method === method && one.path.test(route))
      if (!found) return
      const { id, operation, place } = found
      const response = operation.responses[String(status)]
      assert.ok(response, `${id} answered ${status}, which is not described: ${JSON.stringify(body)}`)
      note(`exercised ${id} ${status}`)
      const code = (body as { error?: { code?: string } } | undefined)?.error?.code
      const codes = response.content?.['application/json']?.examples
      if (code !== undefined && codes) {
        const elsewhere = Object.entries(operation.responses).find(
          ([, one]) => code in (one.content?.['application/json']?.examples ?? {}),
        )
        const repair = elsewhere
          ? `it is declared with ${elsewhere[0]}: write ${status} beside its meaning in server/views/description/error-codes.ts`
          : 'add it to `refuses` of its route'
        assert.ok(code in codes, `${id} ${status} ${code} is not described: ${repair}`)
      }
      if (body === undefined || !response.content?.['application/json']) return
      const at = `${place}/${status}/content/application~1json/schema`
      let validate = validators.get(at)
      if (!validate) {
        validate = ajv.compile({ $ref: at })
        validators.set(at, validate)
      }
      assert.ok(validate(body), `${id} ${status} is not as described: ${ajv.errorsText(validate.errors)}`)
    },
  }
}
