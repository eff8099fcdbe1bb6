/** All cells of one row, to be changed: on a phone, and for rows without errors. */
import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import type { PayoutBatchItem } from '../../api/operations.ts'
import { shared } from '../../ui/texts.ts'
import { useMending } from './mending.ts'
import { cells, errorOfCell, errorsOfRow, errorText, valueOf, wrongCells, type Cell, type Typed } from './row-words.ts'
import { payoutBatchTexts } from './texts.ts'

type Props = {
  batchId: string
  item: PayoutBatchItem | undefined
  isFull: boolean
  onClose(): void
  onMended(text: string): void
}

export default function MendDialog({ batchId, item, isFull, onClose, onMended }: Props) {
  const say = payoutBatchTexts.use()
  return (
    <Modal opened={item !== undefined} onClose={onClose} title={item && say('mend', { row: item.row })} fullScreen={isFull}>
      {item && <Fields key={item.row} batchId={batchId} first={item} onClose={onClose} onMended={onMended} />}
    </Modal>
  )
}

type FieldsProps = { batchId: string; first: PayoutBatchItem; onClose(): void; onMended(text: string): void }

const limits: Record<Cell, number> = { recipient_name: 120, phone_number: 40, amount: 20, narration: 140, reference: 100 }
const modes = { amount: 'numeric', phone_number: 'tel' } as const

function Fields({ batchId, first, onClose, onMended }: FieldsProps) {
  const say = payoutBatchTexts.use()
  const sayShared = shared.use()
  const [item, setItem] = useState(first)
  const [typed, setTyped] = useState<Typed>({})
  const form = useRef<HTMLFormElement>(null)
  const mending = useMending(batchId, (after) => {
    setItem(after)
    setTyped({})
    if (after.status === 'invalid') return
    onMended(say('rowMended', { row: after.row }))
    onClose()
  })
  const { wrong } = mending.editOf(item.row)
  // The first wrong field has the focus, also after a refused change.
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus(), [item, wrong])
  const problemOf = (cell: Cell): string | undefined => {
    const code = wrong[cell]
    if (code !== undefined) return errorText(say, { code, column: cell, message: '' })
    const error = errorOfCell(item, cell)
    return error && typed[cell] === undefined ? errorText(say, error) : undefined
  }
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        mending.save(item, typed)
      }}
    >
      <Stack>
        {errorsOfRow(item).map((error) => (
          <Alert key={`${error.code} ${error.column}`} color="red">
            {errorText(say, error)}
          </Alert>
        ))}
        {cells.map((cell) => (
          <TextInput
            key={cell}
            label={
              cell === 'narration' || cell === 'reference'
                ? `${say(`column.${cell}`)} (${sayShared('optional')})`
                : say(`column.${cell}`)
            }
            inputMode={cell === 'amount' || cell === 'phone_number' ? modes[cell] : 'text'}
            maxLength={limits[cell]}
            autoComplete="off"
            // The dialog opens with the focus here.
            data-autofocus={cell === (wrongCells(first)[0] ?? cells[0]) || undefined}
            value={typed[cell] ?? valueOf(item, cell)}
            onChange={({ currentTarget: { value } }) => setTyped((before) => ({ ...before, [cell]: value }))}
            error={problemOf(cell)}
          />
        ))}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            {sayShared('cancel')}
          </Button>
          <Button type="submit" loading={mending.isBusy(item.row)}>
            {say('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
