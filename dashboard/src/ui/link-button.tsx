/** A link that looks like a button, and one within a text: both take what the router's `Link` takes, with its types. */
import { Anchor, Button, type AnchorProps, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type LinkAttributes = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'style' | 'color'> & { ref?: Ref<HTMLAnchorElement> }

function PlainLinkButton(props: ButtonProps & LinkAttributes) {
  return <Button component="a" {...props} />
}

export const LinkButton = createLink(PlainLinkButton)

function PlainTextLink(props: AnchorProps & LinkAttributes) {
  return <Anchor component="a" {...props} />
}

export const TextLink = createLink(PlainTextLink)
