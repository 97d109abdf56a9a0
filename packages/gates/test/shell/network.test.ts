import { expect, test } from 'vitest'
import { isMetadata } from '../../src/shell/network.ts'

test.each([
  'http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
  'http://169。254。169。254/',
  'http://%31%36%39.254.169.254/',
  'http://[fd00:0ec2:0:0:0:0:0:254]/x',
  'http://[::ffff:169.254.169.254]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://metadata/computeMetadata/v1/',
  'HTTP:\\\\169.254.169.254\\latest',
  '//169.254.169.254/x',
  'gopher://0xA9FEA9FE:80/',
  'http://ann@169.254.43518/',
  'http://168.63.129.16/machine',
  '192.0.0.192/opc',
  'http://a9fea9fe.nip.io/',
  'http://x.169-254-169-254.sslip.io/',
  '--url=http://169.254.170.2/v2',
  'see http://2852039166/ for it',
  'metadata.google.internal',
  '2852039166',
])('%s is where clouds keep keys', (text) => {
  expect(isMetadata(text)).toBe(true)
})

test.each([
  'https://example.org/metadata',
  'http://192.168.1.1/',
  'https://metadata.example.org/',
  'version 1.169.254.3',
  'The metadata of a file is its size.',
  'https://127-0-0-1.nip.io/',
  '100.64.0.1',
])('%s is not', (text) => {
  expect(isMetadata(text)).toBe(false)
})
