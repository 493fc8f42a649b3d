import { initialsOf, toneOf } from './people.ts'
import './avatar.css'

/** The round picture of somebody. Says nothing to a screen reader: the name stands beside it. */
export const Avatar = ({ of: written, isSmall = false }: { of: string; isSmall?: boolean }) => (
  <span className={`avatar ${toneOf(written)} ${isSmall ? 'small' : ''}`} aria-hidden="true">
    {initialsOf(written)}
  </span>
)
