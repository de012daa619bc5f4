// Other words for what an operation does: what people say instead, in English, Japanese and Thai. For finding it, never for running it.

/** A phrase matches as a whole wherever it stands in what was asked. */
export const otherWords: Readonly<Record<string, readonly string[]>> = {
  list_files: ['directory', 'folder', 'tree', 'ls', 'dir', 'ファイル一覧', '一覧', 'フォルダ', 'รายการไฟล์', 'โฟลเดอร์', 'ไดเรกทอรี'],
  read_files: ['open', 'view', 'show', 'cat', 'head', 'tail', 'contents', '読む', '読み取り', '表示', '開く', 'อ่าน', 'เปิดไฟล์', 'ดูไฟล์'],
  read_image: ['picture', 'png', 'jpeg', 'screenshot', 'photo', '画像', '写真', 'รูปภาพ', 'ภาพ'],
  read_instructions: ['agents', 'rules', 'guidelines', 'conventions', '指示', '規約', 'คำสั่ง', 'คำแนะนำ', 'กฎ'],
  search_code: ['grep', 'find', 'ripgrep', 'text', 'regex', 'look for', '検索', '探す', '文字列', 'ค้นหา', 'หาโค้ด', 'ค้น'],
  glob_files: ['wildcard', 'pattern', 'file names', 'find files', 'ファイル名', 'パターン', 'ワイルドカード', 'ชื่อไฟล์', 'รูปแบบ'],
  change_history: ['log', 'changesets', 'past', 'recent edits', '履歴', '変更履歴', 'ประวัติ', 'การเปลี่ยนแปลง'],
  approval_status: ['permission', 'allowed', 'pending', 'confirm', '承認', '許可', 'การอนุมัติ', 'อนุมัติ', 'อนุญาต'],
  write_file: ['create', 'new file', 'save', 'overwrite', '書く', '書き込み', '作成', '保存', 'เขียน', 'สร้างไฟล์', 'บันทึก'],
  edit_file: ['modify', 'change', 'update', 'fix', 'replace text', '編集', '修正', '変更', 'แก้ไข', 'ปรับ', 'เปลี่ยน'],
  apply_patch: ['diff', 'unified', 'hunk', 'パッチ', '差分', 'แพตช์', 'แพทช์', 'ดิฟ'],
  replace_in_files: ['rename everywhere', 'substitute', 'sed', 'bulk', 'all files', '置換', '一括', 'แทนที่', 'ทุกไฟล์'],
  delete_path: ['remove', 'rm', 'unlink', 'erase', '削除', '消す', 'ลบ'],
  move_path: ['rename', 'mv', 'relocate', '移動', '名前変更', 'リネーム', 'ย้าย', 'เปลี่ยนชื่อ'],
  make_directory: ['mkdir', 'new folder', 'フォルダ作成', 'ディレクトリ', 'สร้างโฟลเดอร์', 'สร้างไดเรกทอรี'],
  preview_changes: ['plan', 'dry run', 'simulate', 'プレビュー', '計画', '下見', 'ดูตัวอย่าง', 'แผน'],
  apply_changes: ['execute plan', 'commit plan', 'carry out', '適用', '反映', 'ใช้การเปลี่ยนแปลง', 'ดำเนินการ'],
  rollback_changes: ['undo', 'revert', 'restore', 'take back', 'redo', '元に戻す', '取り消', 'ロールバック', 'ย้อนกลับ', 'เลิกทำ', 'กู้คืน'],
};
