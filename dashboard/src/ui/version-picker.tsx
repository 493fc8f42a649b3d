import { type ReactNode, useState } from 'react'
import { Time } from './time.tsx'
import './version-picker.css'

interface VersionPickerProps<Version> {
  /** The newest first; at least one. */
  readonly versions: readonly Version[]
  timeOf(version: Version): string
  /** A line below the time, if there is something to say. */
  noteOf?(version: Version): string | null
  /** Whether it is in use. */
  badgeOf(version: Version): ReactNode
  /** The version that is chosen. */
  children(version: Version): ReactNode
}

/** Versions of something by their time, and the one of them that is chosen: the newest at first. */
export function VersionPicker<Version extends { readonly id: string }>({
  versions,
  timeOf,
  noteOf,
  badgeOf,
  children,
}: VersionPickerProps<Version>) {
  const [chosen, setChosen] = useState<string | null>(null)
  const shown = versions.find(({ id }) => id === chosen) ?? versions[0]!
  return (
    <div className="version-picker">
      <ul>
        {versions.map((version) => {
          const note = noteOf?.(version)
          return (
            <li key={version.id}>
              <button type="button" aria-pressed={version === shown} onClick={() => setChosen(version.id)}>
                <span>
                  <Time at={timeOf(version)} exact />
                  {note && <small className="muted">{note}</small>}
                </span>
                {badgeOf(version)}
              </button>
            </li>
          )
        })}
      </ul>
      {children(shown)}
    </div>
  )
}
