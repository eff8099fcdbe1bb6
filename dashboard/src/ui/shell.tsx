/**
 * The frame of a signed-in screen: the navigation at the left, or behind a button on a phone, which has the sections of every day at
 * its lower edge; permanent notices on top.
 */
import { ActionIcon, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconMenu2, type Icon } from './icons.ts'
import { createLink, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, type AnchorHTMLAttributes, type ReactNode, type Ref } from 'react'
import { defineTexts } from '../i18n/define-texts.ts'
import { Brand } from './brand.tsx'
import { laterPart } from './later.ts'
import { LiveBanner } from './live-banner.tsx'
import classes from './shell.module.css'

const texts = defineTexts('frame', {
  skip: ['Skip to the content', 'Ruka hadi kwenye maudhui'],
  menu: ['Menu', 'Menyu'],
  navigation: ['Sections', 'Sehemu'],
  dock: ['Everyday sections', 'Sehemu za kila siku'],
})

const useDrawer = laterPart(() => import('./drawer.tsx'))
const useNotices = laterPart(() => import('./notices.tsx'))

type ShellProps = {
  /** Beside the name. */
  note?: string
  /** Above and below the sections. */
  top?: ReactNode
  sections: ReactNode
  bottom: ReactNode
  /** The sections at the lower edge of a phone: `DockLink`s. */
  dock?: ReactNode
  /** On the bar above the content. */
  bar: ReactNode
  /** Across the whole width, always visible. */
  banner?: ReactNode
  children: ReactNode
}

export function Shell({ note, top, sections, bottom, dock, bar, banner, children }: ShellProps) {
  const say = texts.use()
  const drawer = useDrawer()
  const notices = useNotices()
  const [isOpen, { open, close }] = useDisclosure()
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const shownPath = useRef(pathname)

  useEffect(() => {
    if (shownPath.current === pathname) return
    shownPath.current = pathname
    close()
    // Screen readers announce the new screen, and Tab continues inside it.
    main.current?.focus({ preventScroll: true })
  }, [pathname, close])

  const way = (
    <>
      {top}
      <nav aria-label={say('navigation')} className={classes['sections']}>
        {sections}
      </nav>
      <div className={classes['bottom']}>{bottom}</div>
    </>
  )
  return (
    <div className={classes['shell']}>
      <a href="#main" className={classes['skip']}>
        {say('skip')}
      </a>
      <div className={classes['side']}>
        <Brand {...(note !== undefined && { note })} />
        {way}
      </div>
      {drawer && (
        <drawer.NavigationDrawer isOpen={isOpen} onClose={close}>
          {way}
        </drawer.NavigationDrawer>
      )}
      {notices && <notices.Notices />}
      <div className={classes['content']}>
        <div className={classes['notices']}>
          <LiveBanner />
          {banner}
        </div>
        <header className={classes['bar']}>
          <Group gap="xs" wrap="nowrap" hiddenFrom="md">
            <ActionIcon aria-label={say('menu')} aria-expanded={isOpen} onClick={open} size={44}>
              <IconMenu2 size={20} aria-hidden />
            </ActionIcon>
          </Group>
          {bar}
        </header>
        <main id="main" ref={main} tabIndex={-1} className={classes['main']}>
          {children}
        </main>
        {dock && (
          <nav aria-label={say('dock')} className={classes['dock']}>
            {dock}
          </nav>
        )}
      </div>
    </div>
  )
}

type SectionLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { icon: Icon; ref?: Ref<HTMLAnchorElement> }

function PlainSectionLink({ icon: Sign, children, className: _own, ...rest }: SectionLinkProps) {
  return (
    <a {...rest} className={classes['link']}>
      <Sign size={18} stroke={1.7} aria-hidden />
      {children}
    </a>
  )
}

function PlainDockLink({ icon: Sign, children, className: _own, ...rest }: SectionLinkProps) {
  return (
    <a {...rest} className={classes['dockLink']}>
      <Sign size={20} stroke={1.7} aria-hidden />
      <span>{children}</span>
    </a>
  )
}

/** A link at the lower edge of a phone. */
export const DockLink = createLink(PlainDockLink)

/** A link to a section; the current one is marked, also for screen readers. Takes what the router's `Link` takes, and an `icon`. */
export const SectionLink = createLink(PlainSectionLink)
