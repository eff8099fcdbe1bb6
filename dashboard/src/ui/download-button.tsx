/** Downloads a file through the API: shows progress, and the reason of a failure. */
import { Button, type ButtonProps } from '@mantine/core'
import { IconDownload } from './icons.ts'
import { useState, type ReactNode } from 'react'
import { notifyProblem } from './notify.ts'

export type SavedFile = { file: Blob; name: string }

/** The time that a browser may need to start saving the file. */
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
