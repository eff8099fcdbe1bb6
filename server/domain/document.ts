/** What documents are for, their file types, the states of an uploaded one, and how its owner sees them. */
import { z } from 'zod'

export const businessPurposes = ['registration_certificate', 'tax_certificate', 'business_license', 'proof_of_address'] as const
export const personalPurposes = ['national_id', 'student_id_card', 'selfie'] as const

export type BusinessPurpose = (typeof businessPurposes)[number]
export type PersonalPurpose = (typeof personalPurposes)[number]
export type Purpose = BusinessPurpose | PersonalPurpose

export const imageTypes = ['image/jpeg', 'image/png'] as const
export type ImageType = (typeof imageTypes)[number]

/** The file types that a merchant's logo may have. */
export const logoTypes = [...imageTypes, 'image/webp'] as const
export type LogoType = (typeof logoTypes)[number]

/** The file types that can be uploaded. */
export const documentTypes = [...imageTypes, 'application/pdf'] as const
export type DocumentType = (typeof documentTypes)[number]

export const documentStates = ['awaiting', 'uploaded', 'refused'] as const
export type DocumentState = (typeof documentStates)[number]

/** The status of a purpose: its newest file, or none. */
export const documentStatusSchema = z.enum(['missing', 'uploaded', 'refused'])
