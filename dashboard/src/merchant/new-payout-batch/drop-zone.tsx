/** Chooses a file: dropped here, or by a button. */
import { Button, Text } from '@mantine/core'
import { useRef } from 'react'
import { useDropTarget } from '../../ui/drop-target.ts'
import { megabytes } from '../../ui/format.ts'
import { IconFileText, IconUpload } from '../../ui/icons.ts'
import classes from './drop-zone.module.css'
import { newPayoutBatchTexts } from './texts.ts'

type Props = { file: File | undefined; onFile(file: File): void; isWrong: boolean; isBusy: boolean }

export function DropZone({ file, onFile, isWrong, isBusy }: Props) {
  const say = newPayoutBatchTexts.use()
  const picker = useRef<HTMLInputElement>(null)
  const take = (files: readonly File[]): void => {
    if (files[0] && !isBusy) onFile(files[0])
  }
  const { target, isOver } = useDropTarget<HTMLDivElement>(take)
  const Sign = file ? IconFileText : IconUpload
  return (
    <div ref={target} className={classes['zone']} data-over={isOver || undefined} data-wrong={isWrong || undefined}>
      <Sign size={28} stroke={1.5} aria-hidden />
      <Text fw={600} className={classes['name']!} role="status">
        {file ? say('chosen', { name: file.name, size: megabytes(file.size) }) : say('drop')}
      </Text>
      <Text c="dimmed">{say('dropHint')}</Text>
      <Button variant="default" mt={6} disabled={isBusy} onClick={() => picker.current?.click()}>
        {say(file ? 'chooseOther' : 'choose')}
      </Button>
      <input
        ref={picker}
        type="file"
        accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values,application/vnd.ms-excel"
        hidden
        aria-label={say('choose')}
        onChange={({ currentTarget }) => {
          take([...(currentTarget.files ?? [])])
          // The same file can be chosen again after it was corrected.
          currentTarget.value = ''
        }}
      />
    </div>
  )
}
