import { Button, IconButton } from '../ui/button.tsx'
import { texts } from './texts.ts'

/** Somebody else's version is on the page. */
export const ChangedNote = ({ by, onUndo, onDismiss }: { by: string; onUndo: () => void; onDismiss: () => void }) => (
  <div className="editor-note" role="status">
    <span>{texts.notes.changed(by)}</span>
    <Button needs="editor.content.update" onClick={onUndo}>
      {texts.notes.undo}
    </Button>
    <IconButton icon="close" label={texts.notes.dismiss} onClick={onDismiss} />
  </div>
)

/** Somebody else has saved while this was being written. Nothing is decided for the writer. */
export const ConflictNote = ({ by, onTheirs, onMine }: { by: string; onTheirs: () => void; onMine: () => void }) => (
  <div className="editor-note warn" role="alert">
    <span>{texts.notes.conflict(by)}</span>
    <Button onClick={onTheirs}>{texts.notes.useTheirs}</Button>
    <Button look="primary" onClick={onMine}>
      {texts.notes.keepMine}
    </Button>
  </div>
)

export const HtmlNote = ({ isEditable, onConvert }: { isEditable: boolean; onConvert: () => void }) => (
  <div className="editor-note" role="status">
    <span>{texts.notes.html}</span>
    {isEditable && (
      <Button needs="editor.import" onClick={onConvert}>
        {texts.notes.convert}
      </Button>
    )}
  </div>
)
