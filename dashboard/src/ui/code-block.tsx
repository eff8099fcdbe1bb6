/** Code or raw text, unchanged, with a copy button. */
import { Group } from '@mantine/core'
import classes from './code-block.module.css'
import { CopyButton } from './copy-button.tsx'

type Props = {
  /** A name for the button and for screen readers. */
  label: string
  code: string
  /** Long lines scroll instead of being broken. */
  isProgram?: boolean
}

export function CodeBlock({ label, code, isProgram = false }: Props) {
  return (
    <Group wrap="nowrap" align="start" gap={4} className={classes['block']!}>
      <pre role="group" aria-label={label} tabIndex={0} className={isProgram ? classes['program'] : classes['text']}>
        {code}
      </pre>
      <CopyButton value={code} label={label} />
    </Group>
  )
}
