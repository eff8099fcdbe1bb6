/** The fields that a merchant adds to a page for its payers, and the values that payers give: their shape and their limits. */
import { z } from 'zod'
import { customFieldTypeSchema, type CustomFieldType } from '../../domain/custom-field.ts'
import { lineOfText } from '../../platform/http/text.ts'

export const customFieldLimits = { fields: 5, label: 60, choices: 20, choice: 60, text: 200, number: 30 } as const

export type CustomField = {
  /** The name of the field for programs; unique on its page. */
  key: string
  /** The merchant's own words for the payer. */
  label: string
  type: CustomFieldType
  required: boolean
  /** Only of a choice; empty otherwise. */
  choices: string[]
}

const key = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'Use 1 to 40 of a–z, 0–9 and _, starting with a letter.')
  .meta({ description: 'Names the field in requests and answers. Unique on the page.', example: 'table' })

const areDifferent = (texts: readonly string[]): boolean => new Set(texts).size === texts.length

const customFieldBody = z
  .strictObject({
    key,
    label: lineOfText(customFieldLimits.label).meta({ description: 'What the payer reads.', example: 'Table number' }),
    type: customFieldTypeSchema,
    required: z.boolean().default(false),
    choices: z
      .array(lineOfText(customFieldLimits.choice))
      .max(customFieldLimits.choices)
      .refine(areDifferent, 'Each choice must be different.')
      .default([])
      .meta({ description: 'For `choice`: 1 to 20 different texts, one of which the payer selects. Empty for other types.' }),
  })
  .refine(({ type, choices }) => (type === 'choice') === choices.length > 0, {
    path: ['choices'],
    message: 'A field of type choice needs at least one choice. Fields of other types have none.',
  })

export const customFieldsBody = z
  .array(customFieldBody)
  .max(customFieldLimits.fields)
  .refine((fields) => areDifferent(fields.map((field) => field.key)), 'Each key must be different.')
  .meta({
    description: 'Up to five fields that the payer fills in besides the payment, in this order. An update replaces all of them.',
    example: [{ key: 'table', label: 'Table number', type: 'text' }],
  })

export const customFieldsSchema = z.array(
  z
    .object({
      key: z.string(),
      label: z.string(),
      type: customFieldTypeSchema,
      required: z.boolean(),
      choices: z.array(z.string()),
    })
    .meta({ id: 'CustomField' }),
)

const decimalsAsText = 'Send text or a whole number. Send a decimal as text, such as "2.5".'

/**
 * The values by key, as a checkout sends them; the fields of the page decide which are valid. A decimal is a text: readers of JSON do not
 * agree on what number it is.
 */
export const customValuesBody = z
  .record(z.string().max(40), z.union([z.string().max(1000), z.int()], decimalsAsText))
  .refine((values) => Object.keys(values).length <= customFieldLimits.fields, `At most ${customFieldLimits.fields} entries.`)
