/** Waits for a request that needs a step-up; the code of the dialog is loaded then. */
import { useEffect, useState, type ComponentType } from 'react'
import { answerStepUpsWith } from '../api/call.ts'
import { notifyFailure } from './notify.ts'
import { shared } from './texts.ts'

type DialogProps = { onEnd(isProved: boolean): void }

/** Chromium keeps a failure for the address of a file as long as the tab is open, so it is asked for once more at another one. */
async function loadDialog(): Promise<ComponentType<DialogProps>> {
  try {
    return (await import('./step-up-dialog.tsx')).default
  } catch (error) {
    const file = /https?:\/\/\S+/.exec(String(error))?.[0]
    if (file === undefined) throw error
    const part = (await import(/* @vite-ignore */ `${file}?again=${Date.now()}`)) as { default: ComponentType<DialogProps> }
    return part.default
  }
}

type Asked = { answer(isProved: boolean): void }

export function StepUp() {
  const [asked, setAsked] = useState<Asked>()
  // `lazy` would keep a failed load for as long as the tab is open.
  const [Dialog, setDialog] = useState<ComponentType<DialogProps>>()
  useEffect(
    () =>
      answerStepUpsWith(
        () =>
          new Promise((resolve) => {
            setAsked((before) => {
              // Two requests wait for one dialog: its result applies to both.
              const answer = (isProved: boolean): void => {
                before?.answer(isProved)
                resolve(isProved)
              }
              return { answer }
            })
          }),
      ),
    [],
  )
  useEffect(() => {
    if (!asked || Dialog) return undefined
    let isLatest = true
    const load = async (): Promise<void> => {
      try {
        const loaded = await loadDialog()
        setDialog(() => loaded)
      } catch {
        if (!isLatest) return
        // The request fails as if the person had closed the dialog.
        notifyFailure(shared.say('problem.step_up_not_loaded'))
        asked.answer(false)
        setAsked(undefined)
      }
    }
    void load()
    return () => {
      isLatest = false
    }
  }, [asked, Dialog])
  if (!asked || !Dialog) return null
  return (
    <Dialog
      onEnd={(isProved) => {
        asked.answer(isProved)
        setAsked(undefined)
      }}
    />
  )
}
