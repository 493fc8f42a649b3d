import type { PageKey } from './page-keys.ts'
import './key-list.css'
import { texts } from './texts.ts'

const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: texts.keys.escape,
  Delete: texts.keys.delete,
}

/** A capital letter is one that is pressed with Shift. */
const nameOf = (key: string) => NAMES[key] ?? (/^[A-Z]$/.test(key) ? texts.keys.shift(key.toLowerCase()) : key)

export const KeyList = ({ title, keys: all }: { title: string; keys: readonly PageKey[] }) => (
  <section className="key-list">
    <h3>{title}</h3>
    <dl>
      {all.map(({ keys, what, isSequence = false }) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>
            {keys.map((key, at) => (
              <span key={key}>
                {at > 0 && <span className="muted"> {isSequence ? texts.keys.sequence : texts.keys.alternative} </span>}
                <kbd>{nameOf(key)}</kbd>
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </section>
)
