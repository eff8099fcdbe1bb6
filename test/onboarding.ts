/** Repeated steps of the onboarding tests: upload a file, submit a person or a business, all over HTTP as their owners would. */
import assert from 'node:assert/strict'
import { jpegDocument, pdfDocument, pngDocument } from './sample-documents.ts'
import type { Answer, Student, TestApp } from './app.ts'

/** Anything that sends requests to a service. */
type Caller = Pick<TestApp, 'call'>

export const businessPurposes = ['registration_certificate', 'tax_certificate', 'business_license', 'proof_of_address'] as const

export const businessFacts = {
  legal_name: 'Mwenge Traders Limited',
  trading_name: 'Mwenge Duka',
  business_type: 'company',
  registration_number: 'BRELA-123456',
  tax_identification_number: '123-456-789',
  country: 'TZ',
  address: 'Plot 12, Bagamoyo Road',
  city: 'Dar es Salaam',
  region: 'Kinondoni',
  website: 'https://mwenge.example.com',
  phone: '+255222112345',
  email: 'duka@mwenge.example.com',
  representative_role: 'director',
}

export type File = { filename: string; contentType: string; bytes: Buffer }

export const files: Record<'jpeg' | 'png' | 'pdf', () => File> = {
  jpeg: () => ({ filename: 'photo.JPG', contentType: 'image/jpeg', bytes: jpegDocument() }),
  png: () => ({ filename: 'scan.png', contentType: 'image/png', bytes: pngDocument() }),
  pdf: () => ({ filename: 'certificate.pdf', contentType: 'application/pdf', bytes: pdfDocument() }),
}

export type UploadAddress = {
  upload_url: string
  method: string
  headers: Record<string, string>
  document_url: string
  expires_at: string
  max_bytes: number
}

export async function send(address: UploadAddress, bytes: Buffer, changes: RequestInit = {}): Promise<Answer> {
  const response = await fetch(address.upload_url, {
    method: address.method,
    headers: address.headers,
    body: bytes as unknown as string,
    ...changes,
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** Requests an address for a document of `where` (`/v1/kyc` or `/v1/businesses/biz_…`). */
export async function presign(
  app: Caller,
  { token }: Pick<Student, 'token'>,
  where: string,
  purpose: string,
  file: File,
): Promise<UploadAddress> {
  const { status, body } = await app.call('POST', `${where}/documents/presign`, {
    token,
    body: { filename: file.filename, content_type: file.contentType, purpose },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** Uploads a file as a browser would; returns the address to submit. */
export async function upload(
  app: Caller,
  student: Pick<Student, 'token'>,
  where: string,
  purpose: string,
  file: File = files.jpeg(),
): Promise<string> {
  const address = await presign(app, student, where, purpose, file)
  const { status, body } = await send(address, file.bytes)
  assert.equal(status, 200, JSON.stringify(body))
  return address.document_url
}

/** What a person submits, with files that were uploaded just now. */
export async function kycBody(app: Caller, student: Pick<Student, 'token'>): Promise<Record<string, string>> {
  const [nationalId, card, selfie] = [
    await upload(app, student, '/v1/kyc', 'national_id'),
    await upload(app, student, '/v1/kyc', 'student_id_card', files.pdf()),
    await upload(app, student, '/v1/kyc', 'selfie', files.png()),
  ]
  return {
    national_id_number: '20030517-12345-00001-23',
    date_of_birth: '2003-05-17',
    national_id_url: nationalId,
    student_id_card_url: card,
    selfie_url: selfie,
  }
}

export async function submitKyc(app: Caller, student: Pick<Student, 'token'>): Promise<Answer> {
  return app.call('POST', '/v1/kyc', { token: student.token, body: await kycBody(app, student) })
}

export async function registerBusiness(app: Caller, { token }: Student, changes: Record<string, unknown> = {}): Promise<any> {
  const { status, body } = await app.call('POST', '/v1/businesses', { token, body: { ...businessFacts, ...changes } })
  assert.equal(status, 201, JSON.stringify(body))
  return body.data
}

/** Uploads the four documents of a business; returns the body of a submission. */
export async function uploadFour(app: Caller, student: Student, businessId: string): Promise<Record<string, string>> {
  const where = `/v1/businesses/${businessId}`
  const kinds = [files.jpeg(), files.png(), files.pdf(), files.pdf()]
  const entries: [string, string][] = []
  for (const [place, purpose] of businessPurposes.entries()) {
    entries.push([`${purpose}_url`, await upload(app, student, where, purpose, kinds[place])])
  }
  return Object.fromEntries(entries)
}

export function submitBusiness(app: Caller, { token }: Student, businessId: string, body: unknown): Promise<Answer> {
  return app.call('POST', `/v1/businesses/${businessId}/documents`, { token, body })
}

export function decideBusiness(app: Caller, { token }: { token: string }, businessId: string, body: unknown): Promise<Answer> {
  return app.call('POST', `/v1/admin/businesses/${businessId}/verify`, { token, body })
}

/** A business of a verified student that has submitted everything. */
export async function submittedBusiness(
  app: TestApp,
  changes: Record<string, unknown> = {},
): Promise<{ student: Student; business: any; urls: Record<string, string> }> {
  const student = await app.student()
  const { id } = await registerBusiness(app, student, changes)
  const urls = await uploadFour(app, student, id)
  const { status, body } = await submitBusiness(app, student, id, urls)
  assert.equal(status, 200, JSON.stringify(body))
  return { student, business: body.data, urls }
}
