//! Keeps an index, as index_observer.cc does: each put adds a row of INDEX_TBL, the day and then the put's row, to its commit.
//!
//!   rustc --target wasm32-unknown-unknown --edition 2021 -O -C strip=symbols --crate-type cdylib \
//!     -o /opt/index.wasm examples/wasm/index_observer.rs
//!   klip shell store: alter 'visits', METHOD => 'table_att', 'coprocessor' => 'file:///opt/index.wasm|index|1001|'
//!
//! docs/coprocessors.md has the interface in bytes.

#[link(wasm_import_module = "klip")]
extern "C" {
    fn mutate(table: *const u8, table_size: usize, row: *const u8, row_size: usize) -> i32;
    fn size() -> usize;
    fn take(to: *mut u8);
    fn fail(text: *const u8, size: usize);
}

/// What is left of an argument; a read beyond its end is a trap.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, size: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(size);
        self.0 = rest;
        taken
    }
    fn u8(&mut self) -> u8 {
        self.take(1)[0]
    }
    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }
    fn bytes(&mut self) -> &'a [u8] {
        let size = self.u32() as usize;
        self.take(size)
    }
}

fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// A put of d: without a value. Kind 0 of a row, type 4 of a cell.
fn index_put(row: &[u8]) -> Vec<u8> {
    let mut put = vec![0];
    append(&mut put, row);
    put.extend_from_slice(&1u32.to_le_bytes());
    put.push(4);
    append(&mut put, b"d");
    append(&mut put, b"");
    put.extend_from_slice(&i64::MAX.to_le_bytes());
    append(&mut put, b"");
    append(&mut put, b"");
    put
}

fn write(table: &[u8], row: &[u8]) -> Result<(), Vec<u8>> {
    if unsafe { mutate(table.as_ptr(), table.len(), row.as_ptr(), row.len()) } == 0 {
        return Ok(());
    }
    let mut text = vec![0; unsafe { size() }];
    unsafe { take(text.as_mut_ptr()) };
    Err(text)
}

fn keep_index(argument: &[u8]) -> Result<(), Vec<u8>> {
    let mut event = Reader(argument);
    let (_table, _user, _locked) = (event.bytes(), event.bytes(), event.u8());
    for _ in 0..event.u32() {
        let (kind, row) = (event.u8(), event.bytes());
        for _ in 0..event.u32() {
            let (_type, family, qualifier) = (event.u8(), event.bytes(), event.bytes());
            let (_timestamp, value, _tags) = (event.take(8), event.bytes(), event.bytes());
            if kind == 0 && family == b"d" && qualifier == b"day" && !value.is_empty() {
                write(b"INDEX_TBL", &index_put(&[value, row].concat()))?;
            }
        }
    }
    Ok(())
}

#[no_mangle]
pub extern "C" fn klip_abi_1() {}

#[no_mangle]
pub extern "C" fn klip_alloc(size: usize) -> *mut u8 {
    Box::leak(vec![0; size].into_boxed_slice()).as_mut_ptr()
}

/// The argument is in memory of klip_alloc, and is freed when the hook returns.
#[no_mangle]
#[allow(non_snake_case)]
pub extern "C" fn preBatchMutate(address: *mut u8, size: usize) -> i32 {
    let argument = unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(address, size)) };
    match keep_index(&argument) {
        Ok(()) => 0,
        Err(text) => {
            unsafe { fail(text.as_ptr(), text.len()) };
            1
        }
    }
}
