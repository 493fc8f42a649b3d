import { lazy, Suspense, useState } from 'react'
import { useSearchParams } from '../../ui/search-params.ts'
import { Loading } from '../../ui/states.tsx'
import { Switch } from '../../ui/switch.tsx'
import type { CanvasProps } from './canvas.tsx'
import { texts } from './texts.ts'

const Canvas = lazy(() => import('./canvas.tsx'))

export const LazyCanvas = (props: CanvasProps) => (
  <Suspense fallback={<Loading />}>
    <Canvas {...props} />
  </Suspense>
)

const VIEWS = [
  ['canvas', texts.view.canvas],
  ['table', texts.view.table],
] as const
type View = (typeof VIEWS)[number][0]

/** Where a canvas is too small to be read. */
const NARROW = '(max-width: 760px)'

/** Canvas or table: from the address if it was chosen, otherwise by the width of the window. */
export function useGraphView() {
  const { words, choose } = useSearchParams()
  const [first] = useState<View>(() => (matchMedia(NARROW).matches ? 'table' : 'canvas'))
  const view = VIEWS.find(([one]) => one === words.view)?.[0] ?? first
  const chooser = (
    <Switch label={texts.view.label} options={VIEWS} value={view} onChange={(next) => choose({ view: next })} />
  )
  return { isTable: view === 'table', chooser }
}
