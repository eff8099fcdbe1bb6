/** An area to drop files on, in addition to a button. */
import { useEffect, useRef, useState, type RefObject } from 'react'

/** `isOver` while files are dragged over it. */
export function useDropTarget<Node extends HTMLElement>(
  onFiles: (files: readonly File[]) => void,
): { target: RefObject<Node | null>; isOver: boolean } {
  const target = useRef<Node>(null)
  const [isOver, setIsOver] = useState(false)
  const take = useRef(onFiles)
  useEffect(() => {
    take.current = onFiles
  })
  useEffect(() => {
    const node = target.current
    if (!node) return undefined
    const hold = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setIsOver(true)
    }
    const leave = (): void => setIsOver(false)
    const drop = (event: DragEvent): void => {
      event.preventDefault()
      setIsOver(false)
      take.current([...(event.dataTransfer?.files ?? [])])
    }
    node.addEventListener('dragover', hold)
    node.addEventListener('dragleave', leave)
    node.addEventListener('drop', drop)
    return () => {
      node.removeEventListener('dragover', hold)
      node.removeEventListener('dragleave', leave)
      node.removeEventListener('drop', drop)
    }
  }, [])
  return { target, isOver }
}
