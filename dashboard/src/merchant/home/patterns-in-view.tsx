/** The pictures at the end of the start page: their code and their figures are loaded when a person scrolls near them. */
import { Skeleton } from '@mantine/core'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { PeriodSearch } from './period.ts'

const Patterns = lazy(() => import('./patterns.tsx'))

const height = 700

export function PatternsInView({ search }: { search: PeriodSearch }) {
  const place = useRef<HTMLDivElement>(null)
  const [isNear, setIsNear] = useState(false)
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsNear(true)
    })
    watch.observe(place.current!)
    return () => watch.disconnect()
  }, [])
  return (
    <div ref={place}>
      {isNear ? (
        <Suspense fallback={<Skeleton h={height} />}>
          <Patterns search={search} />
        </Suspense>
      ) : (
        <Skeleton h={height} />
      )}
    </div>
  )
}
