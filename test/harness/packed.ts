import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { written } from './arriving.ts'

/** A zip archive with one file. */
export function zipped(name: string, content: Buffer): Buffer {
  const [data, path] = [deflateRawSync(content), Buffer.from(name)]
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(8, 4)
  fields.writeUInt32LE(crc32(content), 10)
  fields.writeUInt32LE(data.length, 14)
  fields.writeUInt32LE(content.length, 18)
  fields.writeUInt16LE(path.length, 22)
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), fields, path, data])
  const central = Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), fields, Buffer.alloc(14), path])
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(local.length, 16)
  return Buffer.concat([local, central, end])
}

type Packing = 'gzip' | 'zip' | 'plain'

const PACKED: Record<Packing, (name: string, content: Buffer) => { file: Buffer; type: string }> = {
  gzip: (_name, content) => ({ file: gzipSync(content), type: 'application/gzip' }),
  zip: (name, content) => ({ file: zipped(name, content), type: 'application/zip' }),
  plain: (_name, content) => ({ file: content, type: 'text/xml' }),
}

/** A mail that brings a report about a domain. */
export function packed(
  report: Buffer,
  { name, how, from = 'reports@reports.example' }: { name: string; how: Packing; from?: string },
): Buffer {
  const { file, type } = PACKED[how](name, report)
  return written({
    from,
    subject: 'Report domain: acme.example',
    headers: ['Content-Type: multipart/mixed; boundary=b'],
    body: [
      '--b',
      'Content-Type: text/plain',
      '',
      'This is a report.',
      '--b',
      `Content-Type: ${type}; name="${name}"`,
      'Content-Transfer-Encoding: base64',
      `Content-Disposition: attachment; filename="${name}"`,
      '',
      file.toString('base64').replace(/.{76}/g, '$&\r\n'),
      '--b--',
      '',
    ].join('\r\n'),
  })
}
