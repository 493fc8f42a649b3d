import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'
import './chip.css'
import { texts } from './texts.ts'

/** One condition of a search, and a way to be rid of it. `text` is what it says, for those who hear it. */
export const Chip = ({ text, onRemove, children }: { text: string; onRemove: () => void; children?: ReactNode }) => (
  <span className="chip">
    <span>{children ?? text}</span>
    <button type="button" aria-label={texts.chip.remove(text)} onClick={onRemove}>
      <Icon name="close" size={12} />
    </button>
  </span>
)
