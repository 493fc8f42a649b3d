import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { texts } from './texts.ts'

interface ConvertDialogProps {
  /** What blocks cannot stand for; null: nothing is asked. */
  readonly losses: readonly string[] | null
  readonly onKeep: () => void
  readonly onConvert: () => void
}

export const ConvertDialog = ({ losses, onKeep, onConvert }: ConvertDialogProps) => (
  <Dialog title={texts.convertDialog.title} note={texts.convertDialog.note} isOpen={losses !== null} onClose={onKeep}>
    <ul className="loss-list">
      {losses?.map((loss) => (
        <li key={loss}>{loss}</li>
      ))}
    </ul>
    <div className="actions">
      <Button look="primary" onClick={onKeep}>
        {texts.convertDialog.keep}
      </Button>
      <Button onClick={onConvert}>{texts.convertDialog.confirm}</Button>
    </div>
  </Dialog>
)
