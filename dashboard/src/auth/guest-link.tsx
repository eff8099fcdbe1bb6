/** A way to another screen of a guest. */
import { Anchor } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

export const GuestLink = createLink(Anchor<'a'>)
