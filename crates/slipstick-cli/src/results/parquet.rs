//! `trajectory.parquet`: the same columns as `trajectory.csv`, for tools that read data frames.
//!
//! The low-level column writer is enough for doubles and text, and keeps the dependency small.

use super::table::Table;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::Type;
use std::sync::Arc;

/// The bytes of the file.
pub(crate) fn trajectory(table: &Table) -> Result<Vec<u8>> {
    let with_modes = !table.modes.is_empty();
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut bytes = Vec::new();
    let mut file = SerializedFileWriter::new(&mut bytes, schema(table)?, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    write_doubles(&mut group, &table.pieces.iter().flat_map(|p| p.t.iter().copied()).collect::<Vec<_>>())?;
    for k in 0..table.columns.len() {
        let values: Vec<f64> = table.pieces.iter().flat_map(|p| p.values[k].iter().copied()).collect();
        write_doubles(&mut group, &values)?;
    }
    if with_modes {
        let name = |mode: usize| ByteArray::from(table.modes[mode].as_str());
        let modes: Vec<ByteArray> =
            table.pieces.iter().flat_map(|p| p.t.iter().map(|_| name(p.mode))).collect();
        write_text(&mut group, &modes)?;
    }
    group.close()?;
    file.close()?;
    Ok(bytes)
}

/// Required columns of doubles, and one of text for the mode.
fn schema(table: &Table) -> Result<Arc<Type>> {
    let mut fields = vec![double(&table.time_header)?];
    for column in &table.columns {
        fields.push(double(&column.header())?);
    }
    if !table.modes.is_empty() {
        let message = parse_message_type("message m { required binary mode (UTF8); }")?;
        fields.extend(message.get_fields().iter().cloned());
    }
    Ok(Arc::new(Type::group_type_builder("trajectory").with_fields(fields).build()?))
}

fn double(name: &str) -> Result<Arc<Type>> {
    use parquet::basic::{Repetition, Type as Physical};
    let builder = Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::REQUIRED);
    Ok(Arc::new(builder.build()?))
}

fn write_doubles<W: std::io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[f64],
) -> Result<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<DoubleType>().write_batch(values, None, None)?;
        column.close()?;
    }
    Ok(())
}

fn write_text<W: std::io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[ByteArray],
) -> Result<()> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<ByteArrayType>().write_batch(values, None, None)?;
        column.close()?;
    }
    Ok(())
}
