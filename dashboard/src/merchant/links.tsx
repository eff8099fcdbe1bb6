/** Links of a screen of one wallet: `./payments` stays in the wallet and the environment of the screen. */
import type { LinkComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import * as back from '../ui/back-link.tsx'
import * as table from '../ui/data-table.tsx'
import * as plain from '../ui/link-button.tsx'
import * as section from '../ui/section-nav.tsx'

const wallet = '/$owner/$environment'

function ofWallet<Looks>(link: LinkComponent<Looks>): LinkComponent<Looks, typeof wallet> {
  const Link = link as ComponentType<object>
  return ((props: object) => <Link {...{ from: wallet }} {...props} />) as LinkComponent<Looks, typeof wallet>
}

export const BackLink = ofWallet(back.BackLink)
export const LinkButton = ofWallet(plain.LinkButton)
export const RowLink = ofWallet(table.RowLink)
export const SectionNavLink = ofWallet(section.SectionNavLink)
export const TextLink = ofWallet(plain.TextLink)
