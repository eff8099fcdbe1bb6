/** The kill switches: the operations that they stop, and the two positions of a switch. */
import { z } from 'zod'

export const switchSubjects = ['checkout', 'payouts'] as const
export const switchSubjectSchema = z.enum(switchSubjects)
export type SwitchSubject = (typeof switchSubjects)[number]

export const onOff = ['on', 'off'] as const
export const onOffSchema = z.enum(onOff)
export type OnOff = (typeof onOff)[number]
