/** Fetches a file and hands it to the browser: says that it is on its way, and why it has not come. */
import { Button, type ButtonProps } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState, type ReactNode } from 'react'
import { notifyProblem } from './notify.ts'

export type SavedFile = { file: Blob; name: string }

/** How long a browser may take to begin with a file that it was given. */
const releaseAfterMs = 60_000

function saveFile({ file, name }: SavedFile): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), releaseAfterMs)
}

type Props = Pick<ButtonProps, 'variant' | 'size' | 'disabled'> & { onFetch(): Promise<SavedFile>; children: ReactNode }

export function DownloadButton({ onFetch, children, ...look }: Props) {
  const [isBusy, setIsBusy] = useState(false)
  const fetchAndSave = async (): Promise<void> => {
    setIsBusy(true)
    try {
      saveFile(await onFetch())
    } catch (error) {
      notifyProblem(error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={isBusy}
      onClick={() => void fetchAndSave()}
      {...look}
    >
      {children}
    </Button>
  )
}
