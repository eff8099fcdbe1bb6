/** The fields that a merchant adds to a page for its payers: their types, and what payers give in them. */
import { z } from 'zod'

export const customFieldTypeSchema = z.enum(['text', 'number', 'choice'])
export type CustomFieldType = z.infer<typeof customFieldTypeSchema>

export const customValuesSchema = z
  .array(z.object({ key: z.string(), label: z.string(), value: z.string() }).meta({ id: 'CustomFieldValue' }))
  .meta({
    description: 'What the payer gave in the fields of the page, with the labels that the payer saw.',
    example: [{ key: 'table', label: 'Table number', value: '7' }],
  })

/** The label is the one that the payer saw: a later change of the page does not change it. */
export type CustomValue = z.infer<typeof customValuesSchema>[number]
