/** A link to another screen without a session. */
import { Anchor } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

export const GuestLink = createLink(Anchor<'a'>)
