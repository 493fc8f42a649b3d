import { type ReactNode, useState } from 'react'

interface SavedCheckProps {
  readonly isOn: boolean
  readonly isDisabled?: boolean
  readonly onSave: (isOn: boolean) => Promise<unknown>
  readonly children: ReactNode
}

/** A box that is saved when it is clicked. Until that is done it shows what was chosen, not what is stored. */
export function SavedCheck({ isOn, isDisabled = false, onSave, children }: SavedCheckProps) {
  const [chosen, setChosen] = useState<boolean>()
  const save = (choice: boolean) => {
    setChosen(choice)
    const settle = () => setChosen(undefined)
    onSave(choice).then(settle, settle)
  }
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={chosen ?? isOn}
        disabled={isDisabled || chosen !== undefined}
        onChange={(event) => save(event.currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  )
}
