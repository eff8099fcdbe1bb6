/**
 * The upload of a document to a signed address. The host of the documents passes bodies on as they arrive, without schemas, so it
 * is described here; `test/documents.test.ts` compares its answers with this.
 */
import { documentTypes } from '../../domain/document.ts'
import type { Operation, Parameter } from './document.ts'

const inPath = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
})

const parameters: Parameter[] = [
  inPath('owner', 'The business or person.'),
  inPath('purpose', 'The purpose of the document.'),
  inPath('file', 'The document and the extension of its type.'),
  {
    name: 'expires',
    in: 'query',
    required: true,
    description: 'Unix seconds. After it: 403 `address_used`.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999 },
  },
  { name: 'signature', in: 'query', required: true, schema: { type: 'string' } },
]

const content = Object.fromEntries(
  documentTypes.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]),
) as NonNullable<Operation['requestBody']>['content']

const uploaded = {
  type: 'object',
  properties: {
    data: {
      type: 'object',
      properties: {
        document_url: { type: 'string', description: 'The URL to submit.' },
        status: { type: 'string', const: 'uploaded' },
        size_bytes: { type: 'integer' },
        unreadable: {
          type: 'boolean',
          description: 'The file is stored, but cannot be shown to a reviewer: upload another one.',
        },
        warnings: {
          type: 'array',
          description: 'What to correct before you submit: `document_unreadable`.',
          items: {
            type: 'object',
            properties: { code: { type: 'string' }, message: { type: 'string' }, message_sw: { type: 'string' } },
            required: ['code', 'message', 'message_sw'],
          },
        },
      },
      required: ['document_url', 'status', 'size_bytes', 'unreadable', 'warnings'],
    },
  },
  required: ['data'],
}

const refuses = [
  'document_content_mismatch',
  'document_active_content',
  'document_encrypted',
  'document_too_complex',
  'document_infected',
  'upload_cut',
  'signature_required',
  'signature_invalid',
  'address_used',
  'upload_too_slow',
  'document_too_large',
  'storage_unavailable',
  'scanner_unavailable',
]

function upload(operationId: string, summary: string, presign: string, storageUrl: string): Record<string, Operation> {
  const put = {
    operationId,
    summary,
    tags: ['Verification'],
    description: `PUT the file to the \`upload_url\` of \`${presign}\`, unchanged and with its \`headers\`, once. A file that is refused for its content uses up the URL; after any other refusal it still works.\n\nRequires no credentials except the signed URL.`,
    security: [],
    servers: [{ url: storageUrl }],
    parameters: structuredClone(parameters),
    requestBody: { required: true, content },
    responses: { 200: { content: { 'application/json': { schema: structuredClone(uploaded) } } } },
    'x-refuses': refuses,
  }
  return { put }
}

export function uploadPaths(storageUrl: string): Record<string, Record<string, Operation>> {
  return {
    '/business-docs/{owner}/{purpose}/{file}': upload(
      'uploadBusinessDocument',
      'Upload a business document',
      'presignBusinessDocument',
      storageUrl,
    ),
    '/kyc-docs/{owner}/{purpose}/{file}': upload(
      'uploadKycDocument',
      'Upload an identity document',
      'presignKycDocument',
      storageUrl,
    ),
  }
}
