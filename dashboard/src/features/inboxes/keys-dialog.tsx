import { Dialog } from '../../ui/dialog.tsx'
import { KEYS } from './keys.ts'
import './keys-dialog.css'
import { texts } from './texts.ts'

const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: texts.esc,
  Delete: texts.del,
  I: texts.shiftI,
  U: texts.shiftU,
}

export const KeysDialog = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => (
  <Dialog title={texts.keyboardShortcuts} isOpen={isOpen} onClose={onClose}>
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
