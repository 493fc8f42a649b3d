/** Files that mail servers and clients refuse because opening them runs something. */
export const BLOCKED_EXTENSIONS: ReadonlySet<string> = new Set(
  `adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf mag mam
  maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp mst ops pcd pif plg prf
  prg reg scf scr sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps vsmacros vss vst vsw vxd ws wsc wsf wsh
  xnk`.split(/\s+/),
)

/** A map and not an object, which would know `constructor` as well. */
const TYPES = new Map(
  Object.entries({
    avif: 'image/avif',
    csv: 'text/csv',
    doc: 'application/msword',
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    eml: 'message/rfc822',
    gif: 'image/gif',
    gz: 'application/gzip',
    htm: 'text/html',
    html: 'text/html',
    ics: 'text/calendar',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    json: 'application/json',
    md: 'text/markdown',
    mp3: 'audio/mpeg',
    mp4: 'video/mp4',
    odt: 'application/vnd.oasis.opendocument.text',
    pdf: 'application/pdf',
    png: 'image/png',
    ppt: 'application/vnd.ms-powerpoint',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    rtf: 'application/rtf',
    svg: 'image/svg+xml',
    tar: 'application/x-tar',
    txt: 'text/plain',
    wav: 'audio/wav',
    webp: 'image/webp',
    xls: 'application/vnd.ms-excel',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    xml: 'application/xml',
    zip: 'application/zip',
  }),
)

/** What Windows takes it to be: it ignores dots and spaces at the end, and to it `.exe` is a program without a name. */
export function extensionOf(filename: string): string {
  const [, extension = ''] = /\.([^.]*)$/.exec(filename.replace(/[. ]+$/, '')) ?? []
  return extension.toLowerCase()
}

/** By the extension; what we do not know is bytes. */
export const contentTypeOf = (filename: string | null) =>
  TYPES.get(extensionOf(filename ?? '')) ?? 'application/octet-stream'
