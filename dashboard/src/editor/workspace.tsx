import type { Editor, JSONContent } from '@tiptap/core'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { Loading } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'
import { Canvas, CanvasProvider, useCanvas } from './canvas.tsx'
import { withChips } from './chips.ts'
import { ConvertDialog } from './convert-dialog.tsx'
import { composeContent, importHtml, type StoredDocument, saveContent, uploadImage } from './document-api.ts'
import type { EmailEditorProps } from './email-editor.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { BlockInspector } from './inspector.tsx'
import { lossesOf } from './losses.ts'
import { ChangedNote, ConflictNote, HtmlNote } from './notes.tsx'
import { PreviewPanel } from './preview-panel.tsx'
import type { SuggestionMenu } from './suggestion-menu.ts'
import { texts } from './texts.ts'
import { type Panel, Toolbar } from './toolbar.tsx'
import { useAutosave } from './use-autosave.ts'
import { useComposed } from './use-composed.ts'
import { VersionsDialog } from './versions-dialog.tsx'
import { WarningList } from './warning-list.tsx'

const CodeView = lazy(() => import('./code-view.tsx'))

/** Where the truth about an email is: in its document, or in its html. */
export type Mode = 'blocks' | 'html'

interface WorkspaceProps extends EmailEditorProps {
  /** As it is stored now: another version of it appears here when somebody else has saved. */
  readonly stored: StoredDocument
  readonly firstMode: Mode
  readonly onReload: () => Promise<StoredDocument | undefined>
  /** Its html was written elsewhere: it is looked at anew whether blocks can stand for it. */
  readonly onReopen: () => void
}

/** What was there before somebody else changed it. */
interface Before {
  readonly by: string
  readonly mode: Mode
  readonly content: JSONContent
  readonly html: string
}

/** The editor comes first: nothing around it works without one. */
export function Workspace(props: WorkspaceProps) {
  const { editor, variables: menu } = useCanvas({
    content: props.stored.content as JSONContent,
    isEditable: props.isEditable,
    uploadImage: (file) =>
      uploadImage(file).catch((error) => {
        toast((error as Error).message, { isError: true })
        throw error
      }),
  })
  return editor ? <OpenWorkspace {...props} editor={editor} menu={menu} /> : <Loading />
}

interface OpenWorkspaceProps extends WorkspaceProps {
  readonly editor: Editor
  readonly menu: SuggestionMenu
}

function OpenWorkspace({ editor, menu, ...props }: OpenWorkspaceProps) {
  const { resource, html, saveHtml, isEditable, stored, firstMode, onReload, onReopen, handle, onSaveState } = props
  const [mode, setMode] = useState(firstMode)
  const [panel, setPanel] = useState<Panel>(() => (window.innerWidth > 900 ? 'preview' : 'none'))
  const [dialog, setDialog] = useState<'import' | 'versions' | null>(null)
  const [code, setCode] = useState({ text: html, key: 0 })
  const [lost, setLost] = useState<{ content: JSONContent; losses: readonly string[] } | null>(null)
  const [theirs, setTheirs] = useState<StoredDocument | null>(null)
  const [before, setBefore] = useState<Before | null>(null)
  const [content, setContent] = useState(stored.content as JSONContent)
  const known = useRef({
    version: stored.version,
    content: '',
    html,
    mode: firstMode,
    code: html,
    isShowingCode: false,
  })
  known.current.mode = mode

  const autosave = useAutosave({
    save: async () => {
      const now = known.current
      if (now.mode === 'html') {
        now.html = now.code
        await saveHtml(now.code)
        // Html that was written is a version as well: known before anything else is saved, it is not taken for somebody else's.
        const saved = await onReload()
        if (saved?.source === 'html') now.version = saved.version
        return
      }
      const document = editor.getJSON()
      const { version } = await saveContent(resource, document, now.version)
      now.version = version
    },
    onConflict: onReload,
  })

  const { touch } = autosave
  useEffect(() => {
    known.current.content = JSON.stringify(editor.getJSON())
    setContent(editor.getJSON())
    const onUpdate = () => {
      const document = editor.getJSON()
      const text = JSON.stringify(document)
      // A transaction that leaves everything as it is: of a plug-in, or of a selection.
      if (text === known.current.content) return
      known.current.content = text
      setContent(document)
      if (!text.includes('"src":"blob:')) touch()
    }
    editor.on('update', onUpdate)
    return () => void editor.off('update', onUpdate)
  }, [editor, touch])

  const put = useCallback(
    (next: JSONContent) => {
      editor.commands.setContent(withChips(next), { emitUpdate: false })
      const document = editor.getJSON()
      known.current.content = JSON.stringify(document)
      setContent(document)
    },
    [editor],
  )

  const putCode = useCallback((text: string) => {
    known.current.code = text
    setCode(({ key }) => ({ text, key: key + 1 }))
  }, [])

  /** Their version is on the page now. */
  const take = useCallback(
    (next: StoredDocument) => {
      const now = known.current
      setBefore({
        by: next.author?.name ?? texts.unknownAuthor,
        mode: now.mode,
        content: editor.getJSON(),
        html: now.code,
      })
      now.version = next.version
      put(next.content as JSONContent)
      setMode('blocks')
    },
    [editor, put],
  )

  // Somebody else has saved.
  useEffect(() => {
    const now = known.current
    if (stored.version <= now.version || autosave.state === 'saving') return
    if (now.mode === 'html' && stored.source === 'html') {
      now.version = stored.version
    } else if (autosave.isBusy()) {
      autosave.hold(true)
      setTheirs(stored)
    } else if (stored.source === 'html') onReopen()
    else take(stored)
  }, [stored, autosave.state, autosave.isBusy, autosave.hold, take, onReopen])

  useEffect(() => {
    const now = known.current
    if (html === now.html || now.mode !== 'html' || autosave.isBusy()) return
    now.html = html
    putCode(html)
  }, [html, autosave.isBusy, putCode])

  useImperativeHandle(handle, () => ({ flush: autosave.flush }), [autosave.flush])
  useEffect(() => onSaveState(autosave.state, autosave.problem), [autosave.state, autosave.problem, onSaveState])

  const composed = useComposed(resource, mode === 'blocks' ? content : null, code.text)
  const shownHtml = useDeferredValue(mode === 'blocks' ? composed.html : code.text)

  const change = async (act: () => Promise<unknown>) => {
    try {
      await act()
    } catch (error) {
      toast((error as Error).message, { isError: true })
    }
  }

  const replaceBy = (next: JSONContent) => {
    put(next)
    known.current.mode = 'blocks'
    setMode('blocks')
    setLost(null)
    autosave.touch()
  }

  /** Html becomes blocks, at once when nothing is lost by that, else when the writer wants it all the same. */
  const convert = (text: string) =>
    change(async () => {
      const next = await importHtml(text)
      const { html: converted } = await composeContent(resource, next)
      const losses = lossesOf(text, converted)
      if (losses.length === 0) replaceBy(next)
      else setLost({ content: next, losses })
    })

  const [isCodeShown, setCodeShown] = useState(firstMode === 'html')
  const showCode = () =>
    change(async () => {
      if (mode === 'blocks') {
        await autosave.flush()
        putCode((await composeContent(resource, editor.getJSON())).html)
      }
      setCodeShown(true)
    })
  const showBlocks = () => {
    if (mode === 'html') return convert(known.current.code).then(() => {})
    setCodeShown(false)
    return Promise.resolve()
  }
  useEffect(() => {
    if (mode === 'blocks') setCodeShown(false)
  }, [mode])

  return (
    <CanvasProvider editor={editor}>
      <section className={`email-editor with-${panel}`} aria-label={texts.label}>
        <Toolbar
          {...{ resource, editor, isEditable, panel, isCodeShown }}
          warnings={composed.warnings.length}
          onPanel={setPanel}
          onShowBlocks={showBlocks}
          onShowCode={showCode}
          onImport={() => setDialog('import')}
          onVersions={() => setDialog('versions')}
        />
        {theirs && (
          <ConflictNote
            by={theirs.author?.name ?? texts.unknownAuthor}
            onTheirs={() => {
              autosave.discard()
              autosave.hold(false)
              setTheirs(null)
              if (theirs.source === 'html') onReopen()
              else take(theirs)
            }}
            onMine={() => {
              known.current.version = theirs.version
              autosave.hold(false)
              setTheirs(null)
              change(autosave.flush)
            }}
          />
        )}
        {before && !theirs && (
          <ChangedNote
            by={before.by}
            onDismiss={() => setBefore(null)}
            onUndo={() =>
              change(async () => {
                setBefore(null)
                if (before.mode === 'blocks') replaceBy(before.content)
                else {
                  known.current.mode = 'html'
                  setMode('html')
                  setCodeShown(true)
                  putCode(before.html)
                  autosave.touch()
                }
                await autosave.flush()
              })
            }
          />
        )}
        {mode === 'html' && <HtmlNote isEditable={isEditable} onConvert={() => convert(known.current.code)} />}
        <div className="editor-body">
          <div className="editor-main">
            {isCodeShown ? (
              <Suspense fallback={<Loading />}>
                <CodeView
                  key={code.key}
                  html={code.text}
                  isEditable={isEditable}
                  onChange={(text) => {
                    known.current.code = text
                    known.current.mode = 'html'
                    setMode('html')
                    setCode(({ key }) => ({ text, key }))
                    autosave.touch()
                  }}
                />
              </Suspense>
            ) : (
              <Canvas editor={editor} menu={menu} offered={props.variables} />
            )}
          </div>
          {panel !== 'none' && (
            <div className="editor-side">
              <div className="sheet-head">
                <strong>{texts.panels[panel]}</strong>
                <IconButton icon="close" label={texts.toolbar.closePanel} onClick={() => setPanel('none')} />
              </div>
              {panel === 'style' &&
                (isCodeShown ? (
                  <p className="muted">{texts.style.inHtml}</p>
                ) : (
                  <BlockInspector editor={editor} hasPreviewText={resource.resource_type === 'template'} />
                ))}
              {panel === 'preview' && (
                <PreviewPanel html={props.fill(shownHtml)} head={props.previewHead} problem={composed.problem} />
              )}
              {panel === 'warnings' && <WarningList warnings={composed.warnings} html={shownHtml} />}
            </div>
          )}
        </div>
        <ImportDialog isOpen={dialog === 'import'} onClose={() => setDialog(null)} onImport={convert} />
        <VersionsDialog
          resource={resource}
          isOpen={dialog === 'versions'}
          onClose={() => setDialog(null)}
          onRestored={onReload}
          beforeRestore={autosave.flush}
        />
        <ConvertDialog
          losses={lost?.losses ?? null}
          onKeep={() => setLost(null)}
          onConvert={() => lost && replaceBy(lost.content)}
        />
      </section>
    </CanvasProvider>
  )
}
