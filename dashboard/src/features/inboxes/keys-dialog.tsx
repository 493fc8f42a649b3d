import { Dialog } from '../../ui/dialog.tsx'
import { KEYS } from './keys.ts'
import './keys-dialog.css'
import { texts } from './texts.ts'

const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: texts.keys.names.escape,
  Delete: texts.keys.names.delete,
  I: texts.keys.names.shiftI,
  U: texts.keys.names.shiftU,
}

export const KeysDialog = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Dialog title={texts.keys.title} isOpen={isOpen} onClose={onClose}>
    <dl className="keys">
      {KEYS.map(({ keys, what }) => (
        <div key={what}>
          <dt>
            {keys.map((key) => (
              <kbd key={key}>{NAMES[key] ?? key}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
